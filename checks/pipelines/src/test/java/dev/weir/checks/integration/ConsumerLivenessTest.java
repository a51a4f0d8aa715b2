package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests handlers that are slow or stuck, and a sink that cannot be created. */
class ConsumerLivenessTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static ConsumerHandle consumer(RunningPipeline running) {
        return running.handles(ConsumerHandle.class).get(0);
    }

    @Test
    void slowHandler_twiceThePollInterval_isNotExpelled() throws Exception {
        KAFKA.cluster().createTopic("slow", 1);
        Records.produce(KAFKA.bootstrapServers(), "slow", 0, 1);
        ConsumerLedger ledger = new ConsumerLedger(1);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "slow")
                .property("max.poll.interval.ms", "4000")
                .property("session.timeout.ms", "20000")
                .property("heartbeat.interval.ms", "1000")
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, "slow")
                .atLeastOnce()
                .to(Sink.forEach(record -> {
                    try {
                        ConsumerLedger.work(Duration.ofSeconds(8));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    ledger.handled(record);
                }))
                .run()) {
            ledger.awaitSeen(1, Duration.ofSeconds(40));
            ConsumerLedger.await(
                    "commit",
                    Duration.ofSeconds(30),
                    () -> KAFKA.cluster()
                            .committedOffsets("slow")
                            .equals(KAFKA.cluster().endOffsets("slow")));
            assertThat(consumer(running).snapshot().rebalances()).isZero();
        }
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void stuckPartition_withSmallWindow_pausesAloneWhileOthersGoOn() throws Exception {
        KAFKA.cluster().createTopic("stuck", 3);
        Records.produce(KAFKA.bootstrapServers(), "stuck", 0, 60_000);
        AtomicIntegerArray handled = new AtomicIntegerArray(3);
        CountDownLatch never = new CountDownLatch(1);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "stuck")
                .maxOutstandingRecords(100)
                .property("max.poll.records", "100")
                .build();
        RunningPipeline running = KafkaSource.from(settings, "stuck")
                .atLeastOnce()
                .mapBlocking(64, RecordOrdering.byPartition(), record -> {
                    if (record.partition() == 0) {
                        never.await();
                    }
                    handled.incrementAndGet(record.partition());
                    return record;
                })
                .to(Sink.ignore())
                .run();
        var ends = KAFKA.cluster().endOffsets("stuck");
        ConsumerLedger.await(
                "partitions 1 and 2",
                Duration.ofSeconds(30),
                () -> ends.entrySet().stream()
                        .filter(end -> end.getKey().partition() != 0)
                        .allMatch(end -> handled.get(end.getKey().partition()) == end.getValue()));
        assertThat(handled.get(0)).isZero();
        ConsumerLedger.await(
                "snapshot",
                Duration.ofSeconds(30),
                () -> consumer(running).snapshot().pausedPartitions() == 1);
        ConsumerSnapshot snapshot = consumer(running).snapshot();
        assertThat(snapshot.partitions())
                .filteredOn(ConsumerSnapshot.PartitionSnapshot::paused)
                .singleElement()
                .satisfies(partition -> {
                    assertThat(partition.partition()).isZero();
                    assertThat(partition.outstanding()).isBetween(100, 200);
                });

        // The handler reacts to an interrupt, so the report can list the unfinished records.
        DrainReport report = running.drain(Duration.ofSeconds(2));
        assertThat(report.drained()).isFalse();
        assertThat(report.leftUndone()).anyMatch(line -> line.contains("stuck-0@0 and "));
        var committed = KAFKA.cluster().committedOffsets("stuck");
        ends.forEach((id, end) -> assertThat(committed.getOrDefault(id, 0L)).isEqualTo(id.partition() == 0 ? 0 : end));
    }

    @Test
    void undecodableRecord_failsWithItsPlaceAndCommitsWhatIsBeforeIt() {
        KAFKA.cluster().createTopic("typed", 1);
        Records.produce(KAFKA.bootstrapServers(), "typed", 0, 20);
        Deserializer<Integer> below10 = (topic, data) -> {
            int number = Integer.parseInt(new String(data, StandardCharsets.US_ASCII));
            if (number >= 10) {
                throw new IllegalArgumentException("two digits");
            }
            return number;
        };
        var settings = ConsumerSettings.builder(new ByteArrayDeserializer(), below10)
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("typed")
                .property("max.poll.records", "5")
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, "typed")
                .atLeastOnce()
                .to(Sink.ignore())
                .run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(RecordDecodeException.class)
                    .hasMessageContaining("typed-0@10");
        }
        assertThat(KAFKA.cluster().committedOffsets("typed").values()).containsExactly(10L);
    }

    @Test
    void handlerThrows_finishedPrefixIsCommittedAndTheRestComesAgain() throws Exception {
        KAFKA.cluster().createTopic("throws", 1);
        Records.produce(KAFKA.bootstrapServers(), "throws", 0, 100);
        ConsumerLedger ledger = new ConsumerLedger(100);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "throws").build();
        try (RunningPipeline running = KafkaSource.from(settings, "throws")
                .atLeastOnce()
                .to(Sink.forEach(record -> {
                    if (record.offset() == 50) {
                        throw new IllegalStateException("fiftieth");
                    }
                    ledger.handled(record);
                }))
                .run()) {
            assertThatThrownBy(running::await).hasMessage("fiftieth");
        }
        assertThat(KAFKA.cluster().committedOffsets("throws").values()).containsExactly(50L);
        try (RunningPipeline running = KafkaSource.from(
                        settings, Subscription.topics("throws").untilEnd())
                .atLeastOnce()
                .to(Sink.forEach(ledger::handled))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    // Regression: the source's thread stayed alive if the sink could not be created.
    @Test
    void run_sinkCannotBeMade_leavesNoThread() {
        KAFKA.cluster().createTopic("unmade", 1);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "unmade").build();
        var pipeline = KafkaSource.from(settings, "unmade")
                .atLeastOnce()
                .to(Sink.custom("broken", context -> {
                    throw new IllegalStateException("no sink");
                }))
                .named("unmade");
        assertThatThrownBy(pipeline::run).hasMessage("no sink");
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.contains("unmade"));
    }
}
