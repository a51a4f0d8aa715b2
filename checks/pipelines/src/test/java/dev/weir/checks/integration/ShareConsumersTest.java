package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the fetches of share consumers, and the number of records that a lean member acquires. */
@Timeout(240)
class ShareConsumersTest {

    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String LOCK = "share.record.lock.duration.ms";

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @RegisterExtension
    static final KafkaClusterExtension ONE_MEMBER =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("group.share.max.size", "1"));

    private static ShareSettings.Builder<byte[], byte[]> group(KafkaClusterExtension cluster, String group) {
        return ShareSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(group)
                .fetch(FetchPath.CLIENT)
                .startAt(Start.EARLIEST);
    }

    private static void topic(KafkaClusterExtension cluster, String name, int partitions, int records) {
        cluster.cluster().createTopic(name, partitions);
        Records.produce(cluster.bootstrapServers(), name, 0, records);
    }

    private static ShareHandle.Snapshot member(RunningPipeline running) {
        return running.handles(ShareHandle.class).getFirst().snapshot();
    }

    /** Regression: the client fetched records during renewals, and their locks expired before a handler got them. */
    @Test
    void backlogBehindSlowWork_isDeliveredOnce() throws Exception {
        topic(KAFKA, "backlog", 1, 100);
        var settings = group(KAFKA, "backlog").untilEnd().build();
        // A machine that stalls for half of a lock's duration loses the lock.
        ShareGroupConfig.set(settings, Map.of(LOCK, "8000"));
        ConsumerLedger ledger = new ConsumerLedger(100);
        CountDownLatch goOn = new CountDownLatch(1);
        try (RunningPipeline running = KafkaFlow.shared(settings, "backlog")
                .forEach(2, Ordering.unordered(), record -> {
                    goOn.await();
                    ledger.handled(record);
                })
                .run()) {
            // By the third renewal of both records, the locks of records fetched early would have expired.
            ConsumerLedger.await("renewals", SOON, () -> member(running).renewed() >= 6);
            goOn.countDown();
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).accepted()).isEqualTo(100);
            assertThat(member(running).redelivered()).isZero();
            assertThat(member(running).lockExpired()).isZero();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void recordsThatComeWhileAllConsumersWait_areDeliveredOnce() throws Exception {
        topic(KAFKA, "trickle", 2, 0);
        var settings = group(KAFKA, "trickle").build();
        ShareGroupConfig.set(settings, Map.of(LOCK, "8000"));
        ConsumerLedger ledger = new ConsumerLedger(60);
        try (RunningPipeline running = KafkaFlow.shared(settings, "trickle")
                .forEach(8, Ordering.unordered(), ledger::handled)
                .run()) {
            for (int round = 0; round < 6; round++) {
                Records.produce(KAFKA.bootstrapServers(), "trickle", round * 10L, 10);
                ledger.awaitSeen((round + 1) * 10, SOON);
            }
            assertThat(running.drain(SOON).drained()).isTrue();
            assertThat(member(running).accepted()).isEqualTo(60);
            assertThat(member(running).redelivered()).isZero();
            assertThat(member(running).lockExpired()).isZero();
        }
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void workThatBecomesSlow_isGivenFewerRecords() throws Exception {
        topic(KAFKA, "slower", 2, 200_000);
        var settings = group(KAFKA, "slower").fetch(FetchPath.LEAN).build();
        ShareGroupConfig.set(settings, Map.of(LOCK, "4000"));
        AtomicBoolean slow = new AtomicBoolean();
        try (RunningPipeline running = KafkaFlow.shared(settings, "slower")
                .forEach(16, Ordering.unordered(), record -> {
                    if (slow.get()) {
                        ConsumerLedger.work(Duration.ofSeconds(1));
                    }
                })
                .run()) {
            ConsumerLedger.await("growth", SOON, () -> credits(running) >= 40);
            slow.set(true);
            // The credits shrink to at most 24, half more than the 16 workers need.
            ConsumerLedger.await("shrinking", SOON, () -> credits(running) <= 24);
            assertThat(member(running).acquireMode()).isEqualTo("record_limit");
            slow.set(false);
            assertThat(running.drain(SOON).drained()).isTrue();
        }
    }

    private static int credits(RunningPipeline running) {
        return member(running).lanes() * member(running).pollRecords();
    }

    @Test
    void groupWithoutPlacesForMoreConsumers_isReadByThoseThatItTook() throws Exception {
        topic(ONE_MEMBER, "full", 2, 300);
        ConsumerLedger ledger = new ConsumerLedger(300);
        try (RunningPipeline running = KafkaFlow.shared(
                        group(ONE_MEMBER, "full").untilEnd().build(), "full")
                .forEach(16, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
    }

    @Test
    void deliveryLimit_loweredWhileItRuns_isHeeded() throws Exception {
        topic(KAFKA, "lowered", 1, 0);
        KAFKA.cluster().createTopic("lowered-dead", 1);
        var settings = group(KAFKA, "lowered").deadLetterTopic("lowered-dead").build();
        AtomicInteger handled = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.shared(settings, "lowered")
                .forEach(4, Ordering.unordered(), record -> handled.incrementAndGet())
                .run()) {
            Records.produce(KAFKA.bootstrapServers(), "lowered", 0, 1);
            ConsumerLedger.await("the first", SOON, () -> handled.get() == 1);
            assertThat(member(running).parked()).isZero();
            ShareGroupConfig.set(settings, Map.of("share.delivery.count.limit", "2"));
            // With two allowed deliveries, a copy is written before the first delivery's handler runs.
            ConsumerLedger.await("a copy", SOON, () -> {
                Records.produce(KAFKA.bootstrapServers(), "lowered", 0, 1);
                return member(running).parked() > 0;
            });
            assertThat(running.drain(SOON).drained()).isTrue();
        }
    }
}
