package dev.weir.kafka.internal.share.member;

import static dev.weir.kafka.internal.share.member.ShareClientStub.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShareConsumerThreadTest {

    private static final Duration LONG = Duration.ofSeconds(50);

    private final ReadyRecords ready = new ReadyRecords(Clock.SYSTEM);
    private final ShareCounters counters = new ShareCounters();
    private final AtomicReference<ShareGroupConfig> group = new AtomicReference<>(ShareClientStub.group(5, true));
    private final AtomicInteger lost = new AtomicInteger();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private @Nullable ShareClientStub client;
    private @Nullable ClientPath path;

    private void start(int lockMillis, @Nullable ParkedCopies copies) {
        start(lockMillis, copies, 1);
    }

    private void start(int lockMillis, @Nullable ParkedCopies copies, int pollRecords) {
        path = new ClientPath(
                new SharePath.Setup(
                        "test",
                        Map.of("client.id", "consumer"),
                        List.of("orders"),
                        group::get,
                        ready,
                        counters,
                        copies,
                        lost::incrementAndGet,
                        failures::add),
                config -> client = new ShareClientStub(config, lockMillis, null));
        path.start(new Plan(1, pollRecords, AcquireMode.RECORD_LIMIT));
    }

    @AfterEach
    void end() {
        int ignored = path().close(Duration.ZERO);
        assertThat(client().isClosed()).isTrue();
        assertThat(failures).isEmpty();
    }

    private ClientPath path() {
        return Objects.requireNonNull(path);
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

    /** While a record is held and its lock renewed, the client must fetch no other records. */
    @Test
    void renewals_fetchNothingThatWouldAgeUnseen() throws Exception {
        start(1_000, null);
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        client().produce(ShareClientStub.record(1, 1));
        until(() -> assertThat(counters.renewed.sum()).isGreaterThanOrEqualTo(3));
        assertThat(client().acquired()).isEqualTo(1);
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
        until(() -> assertThat(counters.quotaReported).isTrue());
    }

    /** Regression: after an interceptor's interrupt, the thread kept a processor busy while records were held. */
    @Test
    void interrupt_whileRecordsAreHeld_doesNotMakeTheThreadSpin() throws Exception {
        start(60_000, null);
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("weir-share-0"))
                .findFirst()
                .orElseThrow();
        thread.interrupt();
        // The interrupt is held back while the thread is parked.
        until(() -> assertThat(thread.getState() == Thread.State.TIMED_WAITING && !thread.isInterrupted())
                .isTrue());
        taken.ack(0);
        thread.join();
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

    // Regression: in a group without renewals, each lock ended after half of its duration.
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
    void lockThatIsNotRenewed_endsWithItsTime_andTheConsumerGoesOn() throws Exception {
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

    /** Regression: a record whose lock had expired was handled twice, and both acceptances were counted. */
    @Test
    void recordThatWaitedInTheClientBehindASlowOne_isNotHandledAfterItsLock() throws Exception {
        group.set(ShareClientStub.group(5, false));
        start(1_500, null);
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> slow = take();
        client().fetchAhead(ShareClientStub.record(1, 1));
        client().produce(ShareClientStub.record(2, 1));
        Batch<AcquiredRecord> next = take();
        assertThat(next.get(0).offset()).isEqualTo(2);
        next.ack(0);
        slow.ack(0);
        until(() -> assertThat(client().told()).containsExactly("0 RELEASE", "1 RELEASE", "2 ACCEPT"));
    }

    @Test
    void renewalThatIsRefused_losesTheRecord_andTheConsumerGoesOn() throws Exception {
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

    /** The client still fetches after a poll without records, although the pipeline has enough records. */
    @Test
    void recordThatCameWhileTheConsumerWaits_isHandedOn() throws Exception {
        start(60_000, null);
        until(() -> assertThat(client().calls()).isPositive());
        ready.put(List.of(elsewhere(7), elsewhere(8)));
        int before = client().calls();
        until(() -> assertThat(client().calls()).isGreaterThan(before + 3));
        client().produce(ShareClientStub.record(0, 1));
        until(() -> assertThat(ready.size()).isEqualTo(3));
    }

    @Test
    void closeWhileWorkRuns_waitsForIt_andAsksForNothingMore() throws Exception {
        start(60_000, null);
        client().produce(ShareClientStub.record(0, 1));
        Batch<AcquiredRecord> taken = take();
        ready.end();
        client().produce(ShareClientStub.record(1, 1));
        CompletableFuture<Integer> unfinished = CompletableFuture.supplyAsync(() -> path().close(LONG));
        taken.ack(0);
        assertThat(unfinished.get(50, TimeUnit.SECONDS)).isZero();
        assertThat(client().told()).containsExactly("0 ACCEPT");
        assertThat(client().acquired()).isEqualTo(1);
    }

    @Test
    void recordsOfOnePoll_endOneByOne_alsoDuringARenewal() throws Exception {
        start(1_000, null, 3);
        client().produce(ShareClientStub.record(9, 1));
        Batch<AcquiredRecord> before = take();
        for (int i = 0; i < 3; i++) {
            client().produce(ShareClientStub.record(i, 1));
        }
        before.ack(0);
        List<Runnable> ends = new ArrayList<>();
        while (ends.size() < 3) {
            Batch<AcquiredRecord> batch =
                    Objects.requireNonNull(ready.take(System.nanoTime() + LONG.toNanos(), new StageMeter()));
            for (int i = 0; i < batch.size(); i++) {
                int index = i;
                ends.add(() -> batch.ack(index));
            }
        }
        ends.get(0).run();
        until(() -> assertThat(client().told()).contains("0 ACCEPT", "1 RENEW", "2 RENEW"));
        ends.get(2).run();
        until(() -> assertThat(client().told()).contains("2 ACCEPT"));
        ends.get(1).run();
        client().produce(ShareClientStub.record(3, 1));
        take().ack(0);
        until(() -> assertThat(client().told()).contains("1 ACCEPT", "3 ACCEPT"));
        assertThat(counters.lockExpired.sum()).isZero();
        assertThat(counters.failedAcknowledgements.sum()).isZero();
    }

    private AcquiredRecord elsewhere(long offset) {
        return new AcquiredRecord(ShareClientStub.record(offset, 1), () -> 5, done -> {});
    }

    @Test
    void pipelineThatStands_isFetchedNothingFor() {
        start(1_000, null);
        client().produce(ShareClientStub.record(0, 1));
        client().produce(ShareClientStub.record(1, 1));
        until(() -> assertThat(client().told()).containsExactly("0 RELEASE"));
        int before = client().calls();
        until(() -> assertThat(client().calls()).isGreaterThan(before + 5));
        assertThat(client().acquired()).isEqualTo(1);
        assertThat(counters.neverBegun.sum()).isEqualTo(1);
    }

    @Test
    void recordInItsLastDelivery_thatGoesBackAtTheEnd_isCountedAsLost() throws Exception {
        start(60_000, null);
        client().produce(ShareClientStub.record(0, 5));
        take();
        assertThat(path().close(Duration.ZERO)).isEqualTo(1);
        assertThat(client().told()).containsExactly("0 RELEASE");
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
        try (ParkedCopies copies = new ParkedCopies(
                ParkedCopiesTest.writer(deadLetterTopic, () -> producer), counters, Duration.ofMinutes(1))) {
            start(60_000, copies);
            client().produce(ShareClientStub.record(0, 3));
            take();
            assertThat(producer.history()).isEmpty();
            group.set(ShareClientStub.group(3, true));
            assertThat(path().close(Duration.ZERO)).isEqualTo(1);
            assertThat(client().told()).containsExactly("0 RELEASE");
            assertThat(producer.history()).hasSize(1);
            assertThat(counters.lost.sum()).isZero();
        }
    }
}
