package dev.weir.kafka.internal.share.member;

import static dev.weir.kafka.internal.share.member.ShareClientStub.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The requests of one share consumer, and the outcome of its records. */
@Timeout(60)
class ShareConsumerThreadTest {

    private static final Duration LONG = Duration.ofSeconds(50);

    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);
    private final ShareCounters counters = new ShareCounters();
    private final AtomicReference<ShareGroupConfig> group = new AtomicReference<>(ShareClientStub.group(5, true));
    private final AtomicInteger lost = new AtomicInteger();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private @Nullable ShareClientStub client;
    private @Nullable ShareConsumerThread lane;

    private void start(int lockMillis, @Nullable ParkedCopies copies) {
        lane = new ShareConsumerThread(
                new ShareConsumerThread.Setup(
                        "test",
                        Map.of("client.id", "lane"),
                        List.of("orders"),
                        config -> client = new ShareClientStub(config, lockMillis, null),
                        group::get,
                        ready,
                        counters,
                        new ScoutingConsumers(),
                        copies,
                        lost::incrementAndGet,
                        failures::add),
                1,
                1,
                AcquireMode.RECORD_LIMIT,
                (refused, why) -> failures.add(why),
                () -> {});
        lane.start();
    }

    @AfterEach
    void end() throws Exception {
        ready.end();
        lane().close(System.nanoTime());
        assertThat(lane().join(LONG)).isTrue();
        assertThat(failures).isEmpty();
    }

    private ShareConsumerThread lane() {
        return Objects.requireNonNull(lane);
    }

    private ShareClientStub client() {
        return Objects.requireNonNull(client);
    }

    private Batch<AcquiredRecord> take() throws InterruptedException {
        Batch<AcquiredRecord> batch =
                Objects.requireNonNull(ready.take(System.nanoTime() + LONG.toNanos(), new StageMeter()));
        assertThat(batch.size()).isEqualTo(1);
        return batch;
    }

    /** A client that polls while a renewal is open fetches, and shows none of it until the share consumer is done. */
    @Test
    void renewals_fetchNothingThatWouldAgeUnseen() throws Exception {
        start(1_000, null);
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        client().produce(ShareClientStub.record(1, 1));
        until(() -> assertThat(counters.renewed.sum()).isGreaterThanOrEqualTo(3));
        assertThat(client().lent()).isEqualTo(1);
        taken.ack(0);
        take().ack(0);
        until(() -> assertThat(client().told()).contains("0 ACCEPT", "1 ACCEPT"));
        assertThat(counters.lockExpired.sum()).isZero();
        assertThat(counters.neverBegun.sum()).isZero();
    }

    @Test
    void quotaThatThrottlesTheClient_isTold() {
        start(1_000, null);
        client().throttledMillis = 500;
        until(() -> assertThat(counters.toldOfQuota).isTrue());
    }

    @Test
    void workThatEndsDuringARenewal_isToldAfterIt() throws Exception {
        start(1_000, null);
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        until(() -> assertThat(client().told()).contains("0 RENEW"));
        taken.ack(0);
        until(() -> assertThat(client().told()).contains("0 ACCEPT"));
    }

    // Asked for all the same, a renewal ended the lock at half of its time: the client forgets what was refused.
    @Test
    void lockThatIsNotRenewed_isLeftItsTime() throws Exception {
        group.set(ShareClientStub.group(5, false));
        start(3_000, null);
        client().refuseRenewals();
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        long takenNanos = System.nanoTime();
        client().produce(ShareClientStub.record(1, 1));
        until(() -> assertThat(System.nanoTime() - takenNanos).isGreaterThan(1_600_000_000L));
        taken.ack(0);
        take().ack(0);
        until(() -> assertThat(client().told()).containsExactly("0 ACCEPT", "1 ACCEPT"));
        assertThat(counters.lockExpired.sum()).isZero();
        assertThat(counters.failedAcknowledgements.sum()).isZero();
    }

    @Test
    void lockThatIsNotRenewed_endsWithItsTime_andTheLaneGoesOn() throws Exception {
        group.set(ShareClientStub.group(5, false));
        start(1_500, null);
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        until(() -> assertThat(lost).hasValue(1));
        assertThat(taken.isRevoked(0)).isTrue();
        assertThat(counters.lockExpired.sum()).isOne();
        client().produce(ShareClientStub.record(1, 1));
        take().ack(0);
        taken.ack(0);
        until(() -> assertThat(client().told()).containsExactly("0 RELEASE", "1 ACCEPT"));
    }

    @Test
    void renewalThatIsRefused_losesTheRecord_andTheLaneGoesOn() throws Exception {
        start(2_000, null);
        client().refuseRenewals();
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        until(() -> assertThat(lost).hasValue(1));
        assertThat(counters.lockExpired.sum()).isOne();
        assertThat(counters.failedAcknowledgements.sum()).isOne();
        client().produce(ShareClientStub.record(1, 1));
        take().ack(0);
        taken.ack(0);
        until(() -> assertThat(client().told()).containsExactly("0 RENEW", "1 ACCEPT"));
    }

    /**
     * The pipeline has enough records from other share consumers; this one asked in vain before, and its client keeps
     * asking.
     */
    @Test
    void recordThatCameWhileTheLaneWaits_isHandedOn() throws Exception {
        start(60_000, null);
        until(() -> assertThat(client().calls()).isPositive());
        ready.put(List.of(elsewhere(7), elsewhere(8)));
        int before = client().calls();
        until(() -> assertThat(client().calls()).isGreaterThan(before + 3));
        client().produce(ShareClientStub.record(0, 1));
        until(() -> assertThat(ready.size()).isEqualTo(3));
    }

    /** The record that an open question brings would otherwise go back with the session, a delivery older. */
    @Test
    void laneThatRetiresWithAQuestionOpen_waitsForItsRecord() throws Exception {
        start(60_000, null);
        until(() -> assertThat(client().isPolling()).isTrue());
        lane().retire();
        int before = client().calls();
        until(() -> assertThat(client().calls()).isGreaterThan(before + 1));
        client().produce(ShareClientStub.record(0, 4));
        take().ack(0);
        assertThat(lane().join(LONG)).isTrue();
        assertThat(client().told()).containsExactly("0 ACCEPT");
        assertThat(client().lent()).isEqualTo(1);
    }

    @Test
    void laneThatRetiresWithoutAQuestion_beginsNone() throws Exception {
        start(60_000, null);
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        lane().retire();
        client().produce(ShareClientStub.record(1, 1));
        taken.ack(0);
        assertThat(lane().join(LONG)).isTrue();
        assertThat(client().told()).containsExactly("0 ACCEPT");
        assertThat(client().lent()).isEqualTo(1);
    }

    private AcquiredRecord elsewhere(long offset) {
        return new AcquiredRecord(ShareClientStub.record(offset, 1), () -> 5, System.nanoTime(), done -> {});
    }

    @Test
    void pipelineThatStands_isFetchedNothingFor() {
        start(1_000, null);
        client().produce(ShareClientStub.record(0, 1));
        client().produce(ShareClientStub.record(1, 1));
        until(() -> assertThat(client().told()).containsExactly("0 RELEASE"));
        int before = client().calls();
        until(() -> assertThat(client().calls()).isGreaterThan(before + 5));
        assertThat(client().lent()).isEqualTo(1);
        assertThat(counters.neverBegun.sum()).isEqualTo(1);
    }

    @Test
    void recordInItsLastDelivery_thatGoesBackAtTheEnd_isCountedAsLost() throws Exception {
        start(60_000, null);
        client().produce(ShareClientStub.record(0, 5));
        take();
        lane().close(System.nanoTime());
        assertThat(lane().join(LONG)).isTrue();
        assertThat(client().told()).containsExactly("0 RELEASE");
        assertThat(lane().unfinished()).isEqualTo(1);
        assertThat(counters.lost.sum()).isEqualTo(1);
    }

    @Test
    void recordThatTheLastDeliveryHasCaughtUpWith_isCopiedBeforeItGoesBack() throws Exception {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        DeadLetterTopic deadLetterTopic = DeadLetterTopic.of(
                "dead",
                ProducerSettings.builder().bootstrapServers("localhost:1").build(),
                "group");
        try (ParkedCopies copies =
                new ParkedCopies(ParkedCopiesTest.writer(deadLetterTopic, () -> producer), counters)) {
            start(60_000, copies);
            client().produce(ShareClientStub.record(0, 3));
            take();
            assertThat(producer.history()).isEmpty();
            group.set(ShareClientStub.group(3, true));
            lane().close(System.nanoTime());
            assertThat(lane().join(LONG)).isTrue();
            assertThat(client().told()).containsExactly("0 RELEASE");
            assertThat(producer.history()).hasSize(1);
            assertThat(counters.lost.sum()).isZero();
        }
    }
}
