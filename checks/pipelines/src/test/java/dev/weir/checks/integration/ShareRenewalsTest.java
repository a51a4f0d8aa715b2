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
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a share group whose brokers do not renew locks ({@code share.renew.acknowledge.enable=false}), on both fetch
 * paths.
 */
@Timeout(120)
class ShareRenewalsTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static ShareSettings<byte[], byte[]> group(String name, FetchPath path, int lockMillis, int records) {
        KAFKA.cluster().createTopic(name, 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, records);
        var settings = ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(name)
                .fetch(path)
                .startAt(Start.EARLIEST)
                .untilEnd()
                .build();
        ShareGroupConfig.set(
                settings,
                Map.of(
                        "share.record.lock.duration.ms",
                        String.valueOf(lockMillis),
                        "share.renew.acknowledge.enable",
                        "false"));
        assertThat(ShareGroupConfig.read(settings).renewsLocks()).isFalse();
        return settings;
    }

    private static String name(String what, FetchPath path) {
        return what + "-" + path.name().toLowerCase(Locale.ROOT);
    }

    private static ShareHandle.Snapshot member(RunningPipeline running) {
        return running.handles(ShareHandle.class).getFirst().snapshot();
    }

    // Regression: with Kafka's client, each record that took half of a lock's duration was delivered at least twice.
    @ParameterizedTest
    @EnumSource
    void workThatTakesMoreThanHalfOfALock_isDoneOnce(FetchPath path) throws Exception {
        String name = name("within", path);
        var settings = group(name, path, 5_000, 6);
        ConsumerLedger ledger = new ConsumerLedger(6);
        try (RunningPipeline running = KafkaFlow.shared(settings, name)
                .forEach(6, Ordering.unordered(), record -> {
                    ConsumerLedger.work(Duration.ofSeconds(3));
                    ledger.handled(record);
                })
                .run()) {
            assertThat(running.await().drained()).isTrue();
            assertThat(member(running).accepted()).isEqualTo(6);
            assertThat(member(running).renewed()).isZero();
            assertThat(member(running).lockExpired()).isZero();
            assertThat(member(running).failedAcknowledgements()).isZero();
        }
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isZero();
    }

    /** Brokers accept either all acknowledgements of a partition in a request, or none. */
    @ParameterizedTest
    @EnumSource
    void workThatOutlastsItsLock_comesAgain_andTakesNoOtherAcknowledgementWithIt(FetchPath path) throws Exception {
        String name = name("beyond", path);
        var settings = group(name, path, 5_000, 400); // longer than any stall of a loaded machine
        ConsumerLedger ledger = new ConsumerLedger(400);
        CountDownLatch expired = new CountDownLatch(1);
        AtomicInteger slow = new AtomicInteger();
        try (RunningPipeline running = KafkaFlow.shared(settings, name)
                .forEach(8, Ordering.unordered(), record -> {
                    if (FailureTopics.value(record).equals("7") && slow.incrementAndGet() == 1) {
                        expired.await();
                    } else {
                        ConsumerLedger.work(Duration.ofMillis(50));
                    }
                    ledger.handled(record);
                })
                .run()) {
            ConsumerLedger.await("expired", SOON, () -> member(running).lockExpired() > 0);
            expired.countDown();
            assertThat(running.await().drained()).isTrue();
            // Kafka's client may have fetched one more record, which loses its lock too.
            assertThat(member(running).lockExpired()).isBetween(1L, path == FetchPath.CLIENT ? 2L : 1L);
            assertThat(member(running).accepted()).isEqualTo(400);
        }
        assertThat(slow).hasValue(2);
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.duplicates()).isOne();
    }
}
