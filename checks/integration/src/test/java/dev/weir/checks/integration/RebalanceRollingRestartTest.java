package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three members are replaced one after the other under load, on each way that a group can move partitions. */
class RebalanceRollingRestartTest {

    private static final int RECORDS = 30_000;
    private static final int BATCH = 500;
    private static final Duration HANDLER = Duration.ofMillis(2);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    enum Protocol {
        EAGER,
        COOPERATIVE,
        CONSUMER
    }

    private static ConsumerSettings<byte[], byte[]> settings(Protocol protocol, String group) {
        var settings = ConsumerLedger.settings(KAFKA.cluster(), group);
        return switch (protocol) {
            case CONSUMER -> settings.property("group.protocol", "consumer").build();
            case EAGER -> classic(settings, RangeAssignor.class);
            case COOPERATIVE -> classic(settings, CooperativeStickyAssignor.class);
        };
    }

    private static ConsumerSettings<byte[], byte[]> classic(
            ConsumerSettings.Builder<byte[], byte[]> settings, Class<?> assignor) {
        return settings.property("partition.assignment.strategy", assignor.getName())
                .property("heartbeat.interval.ms", "300")
                .build();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void rollingRestart_underLoad_losesAndRepeatsNothing(Protocol protocol) throws Exception {
        String topic = "restart-" + protocol;
        KAFKA.cluster().createTopic(topic, 6);
        ConsumerLedger ledger = new ConsumerLedger(RECORDS);
        var settings = settings(protocol, topic);
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> produce(topic));
        List<RunningPipeline> members = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                members.add(member(settings, topic, ledger));
            }
            for (int i = 0; i < 3; i++) {
                ledger.awaitSeen((i + 1) * RECORDS / 6, Duration.ofSeconds(40));
                DrainReport report = members.get(i).drain(Duration.ofSeconds(20));
                assertThat(report.leftUndone()).isEmpty();
                members.set(i, member(settings, topic, ledger));
            }
            load.join();
            ledger.awaitSeen(RECORDS, Duration.ofSeconds(40));
            assertThat(members).allMatch(member -> !member.completion().isDone());
        } finally {
            members.forEach(RunningPipeline::close);
        }
        assertThat(ledger.lost()).as("lost").isZero();
        assertThat(ledger.duplicates()).as("duplicated").isZero();
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
        assertThat(members.get(0)
                        .handles(ConsumerHandle.class)
                        .get(0)
                        .snapshot()
                        .failedCommits())
                .isLessThan(5);
    }

    /** About 6,000 records a second, so that the restarts fall into the middle. */
    private static void produce(String topic) {
        for (int first = 0; first < RECORDS; first += BATCH) {
            Records.produce(KAFKA.bootstrapServers(), topic, first, BATCH, 1_000);
            try {
                ConsumerLedger.work(Duration.ofMillis(70));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static RunningPipeline member(
            ConsumerSettings<byte[], byte[]> settings, String topic, ConsumerLedger ledger) {
        return KafkaSource.committable(settings, topic)
                .mapBlocking(32, RecordOrdering.byKey(), record -> {
                    ConsumerLedger.work(HANDLER);
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run();
    }
}
