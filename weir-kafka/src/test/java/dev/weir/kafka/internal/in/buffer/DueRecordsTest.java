package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Tests that records stay in the buffer until they are due. The tests control the clock. */
class DueRecordsTest {

    private final VirtualClock clock = new VirtualClock();
    private final RecordBuffer buffer =
            new RecordBuffer(clock, new DueRecords(ConsumerRecord::offset, () -> clock.nanoTime() / 1_000_000));
    private final SteppingClock stepping = new SteppingClock();
    private final RecordBuffer stepped =
            new RecordBuffer(stepping, new DueRecords(ConsumerRecord::offset, () -> stepping.nanos / 1_000_000));
    private final AssignedPartition a = partition(0);
    private final AssignedPartition b = partition(1);

    private static AssignedPartition partition(int number) {
        return new AssignedPartition(new TopicPartition("t", number), new OffsetTracker(100, () -> {}), Long.MAX_VALUE);
    }

    /** Adds a batch. The offset of each record is also its due time in milliseconds. */
    private void add(AssignedPartition to, long... dueMillis) {
        add(buffer, to, dueMillis);
    }

    private static void add(RecordBuffer buffer, AssignedPartition to, long... dueMillis) {
        Object[] values = new Object[dueMillis.length];
        long[] tokens = new long[dueMillis.length];
        for (int i = 0; i < dueMillis.length; i++) {
            values[i] = new Fetched.OfRecord(
                    new ConsumerRecord<>("t", to.id().partition(), dueMillis[i], new byte[0], new byte[0]));
            tokens[i] = to.tracker().append(dueMillis[i], 1);
        }
        buffer.add(to, Batch.of(values, values.length, to.tracker(), tokens));
    }

    private static List<Long> offsets(Batch<Fetched> batch) {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            offsets.add(batch.get(i).offset());
        }
        return offsets;
    }

    private List<Long> take(long deadlineNanos) {
        return take(buffer, deadlineNanos);
    }

    private static List<Long> take(RecordBuffer buffer, long deadlineNanos) {
        try {
            Batch<Fetched> batch = buffer.take(deadlineNanos, new StageMeter());
            return batch == null ? List.of(-1L) : offsets(batch);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private CompletableFuture<List<Long>> takeElsewhere() {
        return CompletableFuture.supplyAsync(
                () -> take(Stage.NEVER), task -> Thread.ofVirtual().start(task));
    }

    @Test
    void recordsOfABatch_comeOutAsTheyBecomeDue() throws Exception {
        add(a, 0, 10, 10, 30);
        assertThat(take(0)).containsExactly(0L);
        assertThat(take(0)).isEmpty();
        assertThat(buffer.isNotDue(a)).isTrue();
        CompletableFuture<List<Long>> next = takeElsewhere();
        clock.awaitWaiters(1);
        clock.advance(Duration.ofMillis(10));
        assertThat(next.get()).containsExactly(10L, 10L);
        clock.advance(Duration.ofMillis(20));
        assertThat(take(clock.nanoTime())).containsExactly(30L);
        assertThat(buffer.records()).isZero();
    }

    @Test
    void firstRecord_holdsUpItsPartitionAndNoOther() {
        add(a, 20, 0);
        add(b, 0);
        assertThat(take(0)).containsExactly(0L);
        assertThat(take(0)).as("what is due behind what is not").isEmpty();
        assertThat(buffer.records(a)).isEqualTo(2);
    }

    @Test
    void wait_isForTheFirstThatIsDueInAnyPartition() throws Exception {
        add(a, 500);
        add(b, 100);
        CompletableFuture<List<Long>> next = takeElsewhere();
        clock.awaitWaiters(1);
        clock.advance(Duration.ofMillis(100));
        assertThat(next.get()).containsExactly(100L);
    }

    @Test
    void recordThatIsAddedAndDueEarlier_endsTheWait() throws Exception {
        add(a, 500);
        CompletableFuture<List<Long>> next = takeElsewhere();
        clock.awaitWaiters(1);
        add(b, 0);
        assertThat(next.get()).containsExactly(0L);
    }

    @Test
    void partOfABatch_isPurgedFromItsFirstRecordOn() {
        add(a, 0, 10, 20);
        assertThat(take(0)).containsExactly(0L);
        long first = buffer.purge(List.of(a)).getOrDefault(a, -1L);
        assertThat(a.tracker().forgetFrom(first)).isEqualTo(10);
        assertThat(buffer.records()).isZero();
    }

    @Test
    void dueTime_thatNeverComes_doesNotOverflowTheWait() throws Exception {
        add(a, Long.MAX_VALUE - 1);
        CompletableFuture<List<Long>> next = takeElsewhere();
        add(b, 0);
        assertThat(next.get()).containsExactly(0L);
        assertThat(buffer.isNotDue(a)).isTrue();
    }

    @Test
    void wallClockThatIsSetBack_makesRecordsWaitLonger_andDeliversNoneTwice() {
        AtomicLong wall = new AtomicLong(50);
        RecordBuffer set = new RecordBuffer(clock, new DueRecords(ConsumerRecord::offset, wall::get));
        add(set, a, 10, 60);
        assertThat(take(set, 0)).containsExactly(10L);
        wall.set(5);
        assertThat(take(set, 0)).isEmpty();
        assertThat(set.isNotDue(a)).isTrue();
        wall.set(60);
        assertThat(set.isNotDue(a)).isFalse();
        assertThat(take(set, 0)).containsExactly(60L);
        assertThat(take(set, 0)).isEmpty();
    }

    /** Given a record that is due in a day: if the wall clock is set forward, the record leaves within ten seconds. */
    @Test
    void wallClockThatIsSetForward_isSeenWithinTenSeconds() throws Exception {
        AtomicLong wall = new AtomicLong(0);
        RecordBuffer set = new RecordBuffer(clock, new DueRecords(ConsumerRecord::offset, wall::get));
        add(set, a, Duration.ofDays(1).toMillis());
        CompletableFuture<List<Long>> next = CompletableFuture.supplyAsync(
                () -> take(set, Stage.NEVER), task -> Thread.ofVirtual().start(task));
        clock.awaitWaiters(1);
        wall.set(Duration.ofDays(1).toMillis());
        clock.advance(Duration.ofSeconds(10));
        assertThat(next.get()).containsExactly(wall.get());
    }

    @Test
    void subscription_thatSaysNull_orATimeThatHasPassed_isDueAtOnce_andFarTimesStayFar() {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("t", 0, 7, new byte[0], new byte[0]);
        assertThat(DueRecords.millis(any -> null, record)).isEqualTo(Long.MIN_VALUE);
        assertThat(DueRecords.millis(any -> Instant.MIN, record)).isEqualTo(Long.MIN_VALUE);
        assertThat(DueRecords.millis(any -> Instant.MAX, record)).isEqualTo(Long.MAX_VALUE);
        assertThat(DueRecords.millis(any -> Instant.ofEpochMilli(5), record)).isEqualTo(5);
        // Fractions are rounded up, so that no record is delivered early.
        assertThat(DueRecords.millis(any -> Instant.ofEpochMilli(5).plusNanos(1), record))
                .isEqualTo(6);
    }

    /** The owner thread must still get the buffer's lock while the function blocks. */
    @Test
    void functionThatBlocks_holdsUpWhoeverTakes_andNobodyElse() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        RecordBuffer slow = new RecordBuffer(
                clock,
                new DueRecords(
                        record -> {
                            asked.countDown();
                            await(answer);
                            return 0;
                        },
                        () -> 0));
        add(slow, a, 1, 2, 3);
        CompletableFuture<List<Long>> next = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> next.complete(take(slow, Stage.NEVER)));
        await(asked);
        CompletableFuture<Void> owner = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            add(slow, b, 9);
            slow.isNotDue(a);
            slow.purge(List.of(a));
            slow.end();
            owner.complete(null);
        });
        try {
            owner.get(60, TimeUnit.SECONDS);
            assertThat(next).isNotDone();
        } finally {
            answer.countDown();
        }
        assertThat(next.get(60, TimeUnit.SECONDS))
                .as("what was purged meanwhile does not come out")
                .containsExactly(9L);
        assertThat(take(slow, 0)).as("the end").containsExactly(-1L);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(120, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void everyRecord_isAskedAboutOnce_alsoWhenARateLetsFewGo() {
        AtomicInteger asked = new AtomicInteger();
        RecordBuffer limited = new RecordBuffer(
                clock,
                new DueRecords(
                        record -> {
                            asked.incrementAndGet();
                            return record.offset();
                        },
                        () -> clock.nanoTime() / 1_000_000));
        limited.perSecond(100);
        add(limited, a, LongStream.rangeClosed(1, 60).toArray());
        clock.advance(Duration.ofMillis(50));
        List<Long> taken = new ArrayList<>();
        while (taken.size() < 60) {
            taken.addAll(take(limited, clock.nanoTime()));
            clock.advance(Duration.ofMillis(20));
        }
        assertThat(taken).isEqualTo(LongStream.rangeClosed(1, 60).boxed().toList());
        assertThat(asked).hasValue(60);
    }

    /** While no rate permit is free, the next wake-up is the time of the next permit, even if a record is due. */
    @Test
    void rateThatForbidsToTake_isAllThatIsWaitedFor() throws Exception {
        add(a, 20);
        add(b, 0, 0);
        buffer.perSecond(1);
        assertThat(take(0)).containsExactly(0L);
        CompletableFuture<List<Long>> next = takeElsewhere();
        clock.awaitWaiters(1);
        assertThat(clock.nextDeadlineNanos()).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
        clock.advance(Duration.ofSeconds(2));
        assertThat(next.get()).hasSize(1);
    }

    @Test
    void functionThatThrows_failsAtItsRecord_whenThoseBeforeHaveGoneOut() {
        Subscription subscription = Subscription.topics("t").dueAt(record -> {
            if (record.offset() == 3) {
                throw new IllegalStateException("no time");
            }
            return null;
        });
        RecordBuffer asked = new RecordBuffer(clock, DueRecords.of(subscription));
        add(asked, a, 1, 2, 3, 4);
        assertThat(take(asked, 0)).containsExactly(1L, 2L);
        assertThatThrownBy(() -> take(asked, 0))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageStartingWith("dueAt failed for t-0@3: java.lang.IllegalStateException: no time")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void unreadableBatch_isDueAtOnce_andTheFunctionIsNotCalled() {
        ConsumerRecord<byte[], byte[]> unreadable = UnreadableBatch.acquired(
                new TopicPartition("t", 0), 3, 9, new byte[0], new IllegalStateException("corrupt"), (short) 1);
        assertThat(DueRecords.millis(
                        record -> {
                            throw new AssertionError(record);
                        },
                        unreadable))
                .isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void timeBeforeTheEpoch_isRoundedUpToo() {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("t", 0, 7, new byte[0], new byte[0]);
        assertThat(DueRecords.millis(any -> Instant.ofEpochMilli(-5).plusNanos(1), record))
                .isEqualTo(-4);
        assertThat(DueRecords.millis(any -> Instant.ofEpochMilli(-5), record)).isEqualTo(-5);
    }

    @Test
    void subscription_withoutDueTimes_delaysNothing() {
        assertThat(DueRecords.of(Subscription.topics("t"))).isNull();
    }

    @Test
    void recordThatIsHandedToAWaitingThread_isHeldUntilItIsDue() {
        Batch<Fetched> later = Batch.of(
                new Object[] {new Fetched.OfRecord(new ConsumerRecord<>("t", 0, 20, new byte[0], new byte[0]))},
                1,
                a.tracker(),
                new long[] {a.tracker().append(20, 1)});
        stepping.actions.add(() -> stepped.hand(a, later));
        assertThat(take(stepped, Duration.ofHours(1).toNanos())).containsExactly(20L);
        assertThat(Duration.ofNanos(stepping.nanos)).isEqualTo(Duration.ofMillis(20));
    }

    @Test
    void wait_isAsLongAsTheNextRecordNeeds_butTenSecondsAtMost() {
        add(stepped, a, 12_000);
        assertThat(take(stepped, Stage.NEVER)).containsExactly(12_000L);
        assertThat(stepping.deadlines)
                .containsExactly(
                        Duration.ofSeconds(10).toNanos(), Duration.ofSeconds(12).toNanos());
    }

    /** It is never due, so no time has to be waited for. */
    @Test
    void recordOfTheFarFuture_isWaitedForWithoutATimer() {
        add(stepped, a, Long.MAX_VALUE);
        stepping.actions.add(() -> add(stepped, b, 0));
        assertThat(take(stepped, Stage.NEVER)).containsExactly(0L);
        assertThat(stepping.deadlines).containsExactly(Stage.NEVER);
    }

    @Test
    void partitionsThatAreDue_takeTurns() {
        add(a, 1, 2);
        add(a, 3);
        add(b, 4, 5);
        clock.advance(Duration.ofMillis(10));
        assertThat(take(clock.nanoTime())).containsExactly(1L, 2L);
        assertThat(take(clock.nanoTime())).containsExactly(4L, 5L);
        assertThat(take(clock.nanoTime())).containsExactly(3L);
        assertThat(take(clock.nanoTime())).isEmpty();
    }

    @Test
    void pausedPartition_isHeldAlthoughItIsDue() {
        add(a, 1);
        add(b, 2);
        clock.advance(Duration.ofMillis(10));
        buffer.pause(a, true);
        assertThat(take(clock.nanoTime())).containsExactly(2L);
        assertThat(take(clock.nanoTime())).isEmpty();
        buffer.pause(a, false);
        assertThat(take(clock.nanoTime())).containsExactly(1L);
    }

    /** The order of the tokens is the order of the records, even if a batch leaves in parts. */
    @Test
    void partsOfABatch_haveTheTokensOfTheirRecords() throws InterruptedException {
        add(a, 1, 2, 30);
        clock.advance(Duration.ofMillis(10));
        Batch<Fetched> first = Objects.requireNonNull(buffer.take(clock.nanoTime(), new StageMeter()));
        assertThat(offsets(first)).containsExactly(1L, 2L);
        assertThat(List.of(first.token(0), first.token(1))).containsExactly(0L, 1L);
        assertThat(first.target(1)).isSameAs(a.tracker());
        clock.advance(Duration.ofMillis(20));
        Batch<Fetched> rest = Objects.requireNonNull(buffer.take(clock.nanoTime(), new StageMeter()));
        assertThat(offsets(rest)).containsExactly(30L);
        assertThat(rest.token(0)).isEqualTo(2);
        assertThat(rest.target(0)).isSameAs(a.tracker());
    }

    @Test
    void functionThatThrows_leavesTheLockFree() {
        RecordBuffer failing = new RecordBuffer(
                clock,
                new DueRecords(
                        record -> {
                            throw new IllegalStateException("no time");
                        },
                        () -> 0));
        add(failing, a, 1);
        assertThatThrownBy(() -> failing.take(0, new StageMeter())).hasMessage("no time");
        assertThat(OtherThread.canCall(failing::records)).isTrue();
        assertThat(failing.records(a)).isEqualTo(1);
    }
}
