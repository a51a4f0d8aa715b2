package dev.weir.examples.plain;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.Subscription;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class InvoicingTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @Test
    void orders_allHaveInvoicesAndAreCommitted() throws InterruptedException {
        KAFKA.cluster().createTopic("orders", 3);
        KAFKA.cluster().createTopic("invoices", 3);
        Records.produce(KAFKA.bootstrapServers(), "orders", 0, 1_000, 10);

        var untilEnd = Subscription.topics("orders").untilEnd();
        assertThat(Invoicing.pipeline(KAFKA.bootstrapServers(), untilEnd)
                        .run()
                        .await()
                        .drained())
                .isTrue();

        assertThat(Records.readAll(KAFKA.bootstrapServers(), "invoices", IsolationLevel.READ_COMMITTED))
                .hasSize(1_000)
                .allSatisfy(invoice ->
                        assertThat(new String(invoice.value(), UTF_8)).startsWith("to be paid: "));
        assertThat(KAFKA.cluster().committedOffsets("invoicing"))
                .isEqualTo(KAFKA.cluster().endOffsets("orders"));
    }
}
