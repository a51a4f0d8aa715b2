package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.testing.SinkProbe;
import dev.weir.stream.testing.SourceProbe;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.RebalanceSimulation;
import dev.weir.testkit.Records;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(120)
class InvoicingTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    /** Needs neither a broker nor real time, because the test provides the input. */
    @Test
    void orderOfNothing_isAcknowledgedWithoutAnInvoice() throws InterruptedException {
        var orders = new SourceProbe<ConsumerRecord<String, String>>();
        var invoices = new SinkProbe<ProducerRecord<String, String>>();
        try (RunningPipeline running = Invoicing.invoices(orders.source(), Invoicing::invoice)
                .to(invoices.sink())
                .run()) {
            orders.emit(order(0, " "), order(1, "two chairs")).complete();
            assertEquals("to be paid: two chairs", invoices.expectNext().value());
            invoices.expectEnd();
            running.await();
        }
        assertEquals(List.of(), orders.unacknowledged()); // the order of nothing was acknowledged by filter
    }

    private static ConsumerRecord<String, String> order(long offset, String value) {
        return new ConsumerRecord<>("orders", 0, offset, "customer-1", value);
    }

    /** A real broker: each order has its invoice, and is committed. */
    @Test
    void orders_allHaveInvoicesAndAreCommitted() throws InterruptedException {
        KAFKA.cluster().createTopic("orders", 6);
        KAFKA.cluster().createTopic("invoices", 6);
        Records.produce(KAFKA.bootstrapServers(), "orders", 0, 1_000, 10);

        var untilEnd = Subscription.topics("orders").untilEnd();
        var report = Invoicing.pipeline(KAFKA.bootstrapServers(), untilEnd, Invoicing::invoice)
                .run()
                .await();

        assertEquals(true, report.drained());
        var invoices = Records.readAll(KAFKA.bootstrapServers(), "invoices", IsolationLevel.READ_COMMITTED);
        assertEquals(1_000, invoices.size());
        assertEquals(KAFKA.cluster().endOffsets("orders"), KAFKA.cluster().committedOffsets("invoicing"));
    }

    /** Needs no broker: runs 100 simulated worlds in which members join and leave, processes crash and commits fail. */
    @Test
    void invoicing_survivesRebalances() {
        RebalanceSimulation.of(kafka -> Invoicing.pipeline(
                        kafka.bootstrapServers(),
                        Subscription.topics("orders"),
                        order -> kafka.output(order, Invoicing.invoice(order))))
                .topic("orders", 3)
                .order(RebalanceSimulation.Order.KEY)
                .seeds(1, 100)
                .run();
    }
}
