package dev.weir.testkit;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** The sample of docs/guide/testkit.md. */
class RebalanceSimulationSampleTest {

    @Test
    void booking_survivesRebalances() {
        RebalanceSimulation.of(kafka -> booking(kafka.bootstrapServers(), kafka::work))
                .topic("orders", 3)
                .order(RebalanceSimulation.Order.KEY)
                .seeds(1, 200)
                .run();
    }

    static Pipeline booking(String bootstrapServers, Consumer<ConsumerRecord<?, ?>> book) {
        var settings = ConsumerSettings.builder(new StringDeserializer(), new StringDeserializer())
                .bootstrapServers(bootstrapServers)
                .groupId("booking")
                .build();
        return KafkaSource.from(settings, "orders")
                .atLeastOnce()
                .mapBlocking(8, RecordOrdering.byKey(), order -> {
                    book.accept(order);
                    return order;
                })
                .to(Sink.ignore());
    }
}
