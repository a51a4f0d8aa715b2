package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a separate broker with a full or slow disk. */
@Timeout(120)
final class DiskFaultsTest {

    @Test
    void fullDisk_endsItsBroker_whoseRecordsAreThere_whenItHasRoomAgain() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().forked().diskFaults().start()) {
            cluster.createTopic("kept", 1);
            Records.produce(cluster.bootstrapServers(), "kept", 0, 100);
            Broker broker = cluster.broker(1);
            broker.fillDisk();
            // The broker writes to its metadata log every half second.
            int status = broker.exit().get(60, TimeUnit.SECONDS);
            assertThat(status).isNotZero();
            assertThat(broker.logFile()).content().contains("No space left on device");

            broker.start();
            Records.produce(cluster.bootstrapServers(), "kept", 100, 100);
            assertThat(Records.numbers(
                            Records.readAll(cluster.bootstrapServers(), "kept", IsolationLevel.READ_COMMITTED)))
                    .containsExactlyElementsOf(LongStream.range(0, 200).boxed().toList());
        }
    }

    @Test
    void slowDisk_holdsUpEachWrite_untilItIsRepaired() {
        try (KafkaCluster cluster = KafkaCluster.builder().forked().diskFaults().start()) {
            cluster.createTopic("late", 1);
            Records.produce(cluster.bootstrapServers(), "late", 0, 1);
            Broker broker = cluster.broker(1);
            Duration delay = Duration.ofSeconds(2);
            broker.slowDisk(delay);
            long beganNanos = System.nanoTime();
            Records.produce(cluster.bootstrapServers(), "late", 1, 1);
            assertThat(System.nanoTime() - beganNanos)
                    .as("the write alone takes so long")
                    .isGreaterThanOrEqualTo(delay.toNanos());
            broker.repairDisk();
            Records.produce(cluster.bootstrapServers(), "late", 2, 1);
            assertThat(broker.isRunning()).isTrue();
            assertThat(Records.readAll(cluster.bootstrapServers(), "late", IsolationLevel.READ_COMMITTED))
                    .hasSize(3);
        }
    }

    @Test
    void disksThatCannotFail_areRefused() {
        assertThatThrownBy(() -> KafkaCluster.builder().diskFaults().start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("diskFaults needs brokers in processes of their own: call forked()");
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            Broker broker = cluster.broker(1);
            assertThatThrownBy(broker::fillDisk)
                    .isInstanceOf(KafkaClusterException.class)
                    .hasMessageContaining("fillDisk needs a disk that can fail");
            assertThatThrownBy(() -> broker.slowDisk(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("delay must be above 0 and at most 1 minute: delay=PT0S");
            assertThatThrownBy(() -> broker.slowDisk(Duration.ofMinutes(2)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
