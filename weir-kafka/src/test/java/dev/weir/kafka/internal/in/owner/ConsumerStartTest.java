package dev.weir.kafka.internal.in.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.lookup.SilentLookup;
import dev.weir.kafka.spi.Lookup;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsumerStartTest {

    private static final int MB = 1 << 20;

    @ParameterizedTest
    @CsvSource({"0,8388608", "1,8388608", "4,8388608", "16,2097152", "100,335544", "3000,65536"})
    void fetches_ofAllPartitions_fitTheBuffer(int partitions, int expected) {
        assertThat(ConsumerStart.fetchBytes(128L * MB, partitions, 8 * MB)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1,4096", "100,4096"})
    void fetches_areNeverLargerThanAsked(int partitions, int expected) {
        assertThat(ConsumerStart.fetchBytes(128L * MB, partitions, 4096)).isEqualTo(expected);
    }

    // Regression: the run failed at the first assignment.
    @Test
    void maxPollRecords_thatKafkaAllows_isLimited() throws Exception {
        assertThat(start("max.poll.records", "2147483647")).containsEntry("max.poll.records", 1_000_000);
    }

    // Regression: a value above the range of int was refused, and the message did not name the setting.
    @Test
    void metadataMaxAge_thatKafkaAllows_isAccepted() throws Exception {
        assertThat(start("metadata.max.age.ms", "3000000000")).containsEntry("metadata.max.age.ms", "3000000000");
    }

    /** Starts and closes a consumer. Returns the configuration of its client. */
    private static Map<String, Object> start(String name, String value) throws Exception {
        Brokerless around = new Brokerless();
        SurroundingsRegistry.put("brokerless:1", around);
        try {
            ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                    .bootstrapServers("brokerless:1")
                    .groupId("g")
                    .connectTimeout(Duration.ZERO)
                    .property(name, value)
                    .build();
            CompletableFuture<Object> begun = new CompletableFuture<>();
            around.client.schedulePollTask(() -> begun.complete("polled"));
            ConsumerStart.Started started = new ConsumerStart(
                            settings,
                            Subscription.partitions(new TopicPartition("t", 0)),
                            new ConsumerPlan.Delivery.Committable(),
                            null)
                    .start("c", "consumer c", RecordOutlets.single(new RecordBuffer(Clock.SYSTEM)), begun::complete);
            assertThat(begun.get()).isEqualTo("polled");
            String ignored = started.close(Duration.ZERO);
            return around.config;
        } finally {
            SurroundingsRegistry.remove("brokerless:1");
        }
    }

    private static final class Brokerless implements Surroundings {

        final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
        Map<String, Object> config = Map.of();

        @Override
        public Consumer<byte[], byte[]> client(Map<String, Object> given) {
            config = given;
            return client;
        }

        @Override
        public Lookup lookup(Map<String, Object> given) {
            return new SilentLookup();
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(nanos);
        }

        @Override
        public <T> Stage<T> pulled(Stage<T> stage, Clock clock) {
            return stage;
        }
    }
}
