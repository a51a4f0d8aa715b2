package dev.weir.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RebalanceSimulation.Delivery;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the ends of simulated producers. */
@Timeout(60)
class OutputsTest {

    private final World world = WorldTest.world(Delivery.AT_LEAST_ONCE);

    private static ProducerRecord<byte[], byte[]> to(int partition) {
        return new ProducerRecord<>("bookings", partition, null, new byte[0]);
    }

    /**
     * Regression: if two threads closed a producer, each of them ended some of its batches. One seed had several
     * histories, because the threads' timing determined which batches were written.
     */
    @Test
    void batches_ofAProducerThatTwoThreadsClose_allEndAsTheFirstOneWants() throws Exception {
        Producer<byte[], byte[]> producer =
                world.producer(Map.of(), new ByteArraySerializer(), new ByteArraySerializer());
        Thread second = Thread.ofPlatform().daemon().unstarted(() -> producer.close(Duration.ofSeconds(1)));
        Future<RecordMetadata> unused = producer.send(to(0), (metadata, refused) -> {
            second.start();
            while (second.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        });
        Future<RecordMetadata> behind = producer.send(to(1));

        producer.close(Duration.ZERO);

        second.join();
        assertThat(behind).failsWithin(Duration.ZERO).withThrowableThat().withMessageContaining("producer is closed");
    }
}
