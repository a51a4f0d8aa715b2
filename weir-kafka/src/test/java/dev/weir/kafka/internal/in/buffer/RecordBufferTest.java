package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordBufferTest {

    /** Finite, because the test's clock counts only threads that wait with a deadline. */
    private static final long LATE = Duration.ofHours(1).toNanos();

    private final VirtualClock clock = new VirtualClock();
    private final RecordBuffer buffer = new RecordBuffer(clock);
    private final AssignedPartition a = partition(0);
    private final AssignedPartition b = partition(1);

    private static AssignedPartition partition(int number) {
        return new AssignedPartition(new TopicPartition("t", number), new OffsetTracker(100, () -> {}), Long.MAX_VALUE);
    }

    private static AssignedPartition partition(String topic, int priority) {
        return new AssignedPartition(
                new TopicPartition(topic, 0), new OffsetTracker(10_000, () -> {}), Long.MAX_VALUE, priority, 1);
    }

    /** Adds a batch whose elements are the name of the partition's topic. */
    private void fetch(AssignedPartition partition, int records) {
        Object[] values = new Object[records];
        long[] tokens = new long[records];
        for (int i = 0; i < records; i++) {
            values[i] = partition.id().topic();
            tokens[i] = partition.tracker().append(partition.tracker().outstanding(), 1);
        }
        buffer.add(partition, Batch.of(values, records, partition.tracker(), tokens));
    }

    private String nextTopics(int batches) throws InterruptedException {
        StringBuilder topics = new StringBuilder();
        for (int i = 0; i < batches; i++) {
            topics.append(next());
        }
        return topics.toString();
    }

    private void fetch(AssignedPartition partition, String... names) {
        for (String name : names) {
            long token = partition.tracker().append(partition.tracker().outstanding(), 1);
            buffer.add(partition, Batch.of(new Object[] {name}, 1, partition.tracker(), new long[] {token}));
        }
    }

    private void hand(AssignedPartition partition, String name) {
        long token = partition.tracker().append(partition.tracker().outstanding(), 1);
        buffer.hand(partition, Batch.of(new Object[] {name}, 1, partition.tracker(), new long[] {token}));
    }

    private @Nullable String nextOfAll() {
        try {
            return next(LATE);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the next record; "-" if there is none yet, null at the end. */
    private @Nullable String next() throws InterruptedException {
        return next(clock.nanoTime());
    }

    private @Nullable String next(long deadlineNanos) throws InterruptedException {
        return name(buffer.take(deadlineNanos, new StageMeter()));
    }

    private static @Nullable String name(@Nullable Batch<Fetched> batch) {
        if (batch == null) {
            return null;
        }
        return batch.isEmpty() ? "-" : String.valueOf(batch.<String>retyped().get(0));
    }

    @Test
    void partitions_areTakenFromInTurn() throws InterruptedException {
        fetch(a, "a1", "a2", "a3");
        fetch(b, "b1", "b2");
        assertThat(List.of(next(), next(), next(), next(), next(), next()))
                .containsExactly("a1", "b1", "a2", "b2", "a3", "-");
        assertThat(buffer.records()).isZero();
    }

    @Test
    void heldPartition_keepsItsRecordsWhileOthersFlow() throws InterruptedException {
        fetch(a, "a1", "a2");
        fetch(b, "b1");
        buffer.pause(a, true);
        fetch(a, "a3");
        fetch(b, "b2");
        assertThat(List.of(next(), next(), next())).containsExactly("b1", "b2", "-");
        assertThat(buffer.records()).isEqualTo(3);
        buffer.pause(a, false);
        buffer.pause(a, false);
        assertThat(List.of(next(), next(), next(), next())).containsExactly("a1", "a2", "a3", "-");
    }

    @Test
    void end_withRecordsHeld_waitsForThem() throws InterruptedException {
        fetch(a, "a1");
        buffer.pause(a, true);
        buffer.end();
        assertThat(next()).isEqualTo("-");
        buffer.pause(a, false);
        assertThat(next()).isEqualTo("a1");
        assertThat(next()).isNull();
    }

    @Test
    void purge_dropsOnlyWhatItIsToldAndNamesTheFirst() throws InterruptedException {
        fetch(a, "a1", "a2", "a3");
        fetch(b, "b1", "b2");
        assertThat(next()).isEqualTo("a1");
        assertThat(buffer.purge(List.of(a))).containsExactly(Map.entry(a, 1L));
        assertThat(buffer.purge(List.of(a))).isEmpty();
        assertThat(List.of(next(), next(), next())).containsExactly("b1", "b2", "-");
    }

    @Test
    void purge_ofAllThatIsHeldAfterTheEnd_endsAWaitingTake() throws Exception {
        fetch(a, "a1");
        buffer.pause(a, true);
        buffer.end();
        CompletableFuture<Boolean> atEnd = CompletableFuture.supplyAsync(() -> nextOfAll() == null);
        buffer.purge(List.of(a));
        assertThat(atEnd.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void handedBatch_countsAsTakenBeforeTheWaitingThreadRuns() throws Exception {
        // A fast thread may pass a single round by chance.
        for (int round = 0; round < 100; round++) {
            CompletableFuture<@Nullable String> taken = CompletableFuture.supplyAsync(this::nextOfAll);
            clock.awaitWaiters(1);
            hand(a, "a1");
            assertThat(buffer.ready()).isZero();
            assertThat(buffer.purge(List.of(a))).isEmpty();
            assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo("a1");
        }
    }

    @Test
    void handedBatch_withNobodyWaitingOrHeld_waits() throws Exception {
        hand(a, "a1");
        assertThat(buffer.ready()).isEqualTo(1);
        assertThat(next()).isEqualTo("a1");
        buffer.pause(a, true);
        CompletableFuture<@Nullable String> taken = CompletableFuture.supplyAsync(this::nextOfAll);
        clock.awaitWaiters(1);
        hand(a, "a2");
        hand(b, "b1");
        hand(b, "b2");
        assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo("b1");
        assertThat(next()).isEqualTo("b2");
        buffer.pause(a, false);
        assertThat(next()).isEqualTo("a2");
    }

    @Test
    void handedBatch_toAThreadThatIsInterruptedMeanwhile_isNotLost() throws Exception {
        RecordBuffer[] itself = new RecordBuffer[1];
        dev.weir.stream.spi.Clock interrupting = new dev.weir.stream.spi.Clock() {
            @Override
            public long nanoTime() {
                return 0;
            }

            @Override
            public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
                itself[0].hand(a, Batch.of(new Object[] {"a1"}, 1, a.tracker(), new long[] {
                    a.tracker().append(0, 1)
                }));
                throw new InterruptedException();
            }
        };
        itself[0] = new RecordBuffer(interrupting);
        assertThat(name(itself[0].take(LATE, new StageMeter()))).isEqualTo("a1");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void take_untilADeadline_waitsByTheRunsClock() throws Exception {
        CompletableFuture<@Nullable String> taken = CompletableFuture.supplyAsync(this::nextOfAll);
        clock.awaitWaiters(1);
        clock.advance(Duration.ofHours(1));
        assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo("-");
    }

    /** Returns the size of the next batch; 0 if no record may leave yet, -1 at the end. */
    private int nextCount() throws InterruptedException {
        Batch<?> batch = buffer.take(clock.nanoTime(), new StageMeter());
        return batch == null ? -1 : batch.size();
    }

    @Test
    void rate_letsOutWhatItAllows_andKeepsTheRestInOrder() throws Exception {
        fetch(a, 60);
        buffer.perSecond(20);
        assertThat(List.of(nextCount(), nextCount())).containsExactly(1, 0);
        assertThat(buffer.records()).isEqualTo(59);
        clock.advance(Duration.ofMillis(50));
        assertThat(List.of(nextCount(), nextCount())).containsExactly(1, 0);
        CompletableFuture<@Nullable String> waiting = CompletableFuture.supplyAsync(this::nextOfAll);
        clock.awaitWaiters(1);
        clock.advance(Duration.ofMillis(50));
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo("t");
        assertThat(buffer.waitedNanos()).isPositive();
        buffer.perSecond(0);
        Batch<?> rest = Objects.requireNonNull(buffer.take(clock.nanoTime(), new StageMeter()));
        assertThat(rest.size()).isEqualTo(57);
        assertThat(rest.token(0)).isEqualTo(3);
        assertThat(rest.token(56)).isEqualTo(59);
        assertThat(nextCount()).isZero();
    }

    @Test
    void rateThatEnds_wakesWhoWaitsForIt() throws Exception {
        fetch(a, "a1", "a2");
        buffer.perSecond(1);
        assertThat(next()).isEqualTo("a1");
        CompletableFuture<@Nullable String> waiting = CompletableFuture.supplyAsync(this::nextOfAll);
        clock.awaitWaiters(1);
        buffer.perSecond(0);
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo("a2");
    }

    @Test
    void rate_ofBatchesThatGoAsAWhole_isPaidAfterwards() throws InterruptedException {
        buffer.keepWhole();
        buffer.perSecond(10);
        fetch(a, 20);
        fetch(a, 20);
        assertThat(List.of(nextCount(), nextCount())).containsExactly(20, 0);
        clock.advance(Duration.ofMillis(1900));
        assertThat(nextCount()).isZero();
        clock.advance(Duration.ofMillis(200));
        assertThat(nextCount()).isEqualTo(20);
    }

    @Test
    void recordsThatWaitForARate_arePurgedLikeAllOthers() throws InterruptedException {
        fetch(a, 10);
        buffer.perSecond(1);
        assertThat(nextCount()).isEqualTo(1);
        assertThat(buffer.purge(List.of(a))).containsExactly(Map.entry(a, 1L));
        buffer.end();
        assertThat(nextCount()).isEqualTo(-1);
    }

    @Test
    void priorities_letTheHigherGoFirstAndEqualsInTurn() throws InterruptedException {
        AssignedPartition low = partition("l", -1);
        AssignedPartition high = partition("h", 5);
        AssignedPartition other = partition("o", 5);
        for (int i = 0; i < 3; i++) {
            fetch(low, 1);
            fetch(a, 1);
            fetch(high, 1);
            fetch(other, 1);
        }
        assertThat(nextTopics(13)).isEqualTo("hohohotttlll-");
    }

    @Test
    void lowerPriority_thatWaits_getsOneRecordForSixteen() throws InterruptedException {
        AssignedPartition low = partition("l", 0);
        AssignedPartition high = partition("h", 1);
        for (int i = 0; i < 40; i++) {
            fetch(high, 1);
            fetch(low, 1);
        }
        String sixteen = "h".repeat(16);
        assertThat(nextTopics(42)).isEqualTo(sixteen + "l" + sixteen + "l" + "h".repeat(8));
        assertThat(nextTopics(38)).isEqualTo("l".repeat(38));
        assertThat(next()).isEqualTo("-");
    }

    @Test
    void lowerPriority_inLargeBatches_waitsUntilItHasEarnedAWholeOne() throws InterruptedException {
        AssignedPartition low = partition("l", 0);
        AssignedPartition high = partition("h", 1);
        for (int i = 0; i < 70; i++) {
            fetch(high, 1);
        }
        fetch(low, 4);
        fetch(low, 1);
        assertThat(nextTopics(72)).isEqualTo("h".repeat(64) + "l" + "h".repeat(6) + "l");
    }

    @Test
    void lowerPriority_withNothingToGive_earnsNothing() throws InterruptedException {
        AssignedPartition low = partition("l", 0);
        AssignedPartition high = partition("h", 1);
        for (int i = 0; i < 100; i++) {
            fetch(high, 1);
        }
        assertThat(nextTopics(50)).isEqualTo("h".repeat(50));
        fetch(low, 1);
        buffer.pause(low, true);
        assertThat(nextTopics(20)).isEqualTo("h".repeat(20));
        buffer.pause(low, false);
        assertThat(nextTopics(18)).isEqualTo("h".repeat(16) + "lh");
    }

    @Test
    void threePriorities_eachOfTheLowerOnesGetsItsSixteenth() throws InterruptedException {
        AssignedPartition[] levels = {partition("x", 3), partition("y", 2), partition("z", 1)};
        for (int i = 0; i < 1_000; i++) {
            for (AssignedPartition level : levels) {
                fetch(level, 1);
            }
        }
        String topics = nextTopics(900);
        assertThat(topics.chars().filter(topic -> topic == 'y').count()).isBetween(49L, 53L);
        assertThat(topics.chars().filter(topic -> topic == 'z').count()).isBetween(50L, 54L);
        assertThat(topics.lastIndexOf('z')).isGreaterThan(880);
    }

    @Test
    void lowerPriority_thatFlowedAlone_hasNoDebt() throws InterruptedException {
        AssignedPartition low = partition("l", 0);
        AssignedPartition high = partition("h", 1);
        for (int i = 0; i < 40; i++) {
            fetch(low, 1);
        }
        fetch(high, 1);
        assertThat(nextTopics(21)).isEqualTo("h" + "l".repeat(20));
        for (int i = 0; i < 40; i++) {
            fetch(high, 1);
        }
        assertThat(nextTopics(18)).isEqualTo("h".repeat(16) + "lh");
    }

    /** A level that comes later may be higher than all others. */
    @Test
    void priorities_areKeptInOrder_howeverTheyArrive() throws InterruptedException {
        for (int priority : new int[] {3, -7, 5, 1, 9, -2}) {
            AssignedPartition one = partition(String.valueOf(Math.abs(priority)), priority);
            fetch(one, 1);
            fetch(one, 1);
        }
        assertThat(nextTopics(13)).isEqualTo("995533112277-");
    }

    @Test
    void fewReadyPartitions_areReportedOnce() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        AssignedPartition c = partition(2);
        fetch(a, "a1");
        fetch(b, "b1");
        fetch(c, "c1", "c2");
        assertThat(buffer.watchReady(0, 3, calls::incrementAndGet)).isFalse();
        assertThat(buffer.watchReady(0, 1, calls::incrementAndGet)).isTrue();
        assertThat(next()).isEqualTo("a1");
        assertThat(calls).hasValue(0);
        assertThat(next()).isEqualTo("b1");
        assertThat(calls).hasValue(1);
        assertThat(List.of(next(), next(), next())).containsExactly("c1", "c2", "-");
        assertThat(calls).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void severalLimitsOfReadyPartitions_areReportedAtTheHighest(boolean highestFirst) throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        for (int i = 0; i < 4; i++) {
            fetch(partition(i), "record");
        }
        assertThat(buffer.watchReady(0, highestFirst ? 3 : 1, calls::incrementAndGet))
                .isTrue();
        assertThat(buffer.watchReady(0, highestFirst ? 1 : 3, calls::incrementAndGet))
                .isTrue();
        assertThat(next()).isEqualTo("record");
        assertThat(calls).hasValue(1);
    }

    @Test
    void readyPartitionsOfAnotherPriority_areNotReported() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        AssignedPartition low = partition("l", 0);
        AssignedPartition high = partition("h", 1);
        fetch(low, 1);
        fetch(low, 1);
        fetch(high, 1);
        assertThat(buffer.watchReady(0, 0, calls::incrementAndGet)).isTrue();
        assertThat(nextTopics(2)).isEqualTo("hl");
        assertThat(calls).hasValue(0);
        assertThat(nextTopics(1)).isEqualTo("l");
        assertThat(calls).hasValue(1);
    }

    @Test
    void resume_endsAWaitingTake() throws Exception {
        fetch(a, "a1");
        buffer.pause(a, true);
        CompletableFuture<@Nullable String> taken = CompletableFuture.supplyAsync(this::nextOfAll);
        clock.awaitWaiters(1);
        buffer.pause(a, false);
        assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo("a1");
    }

    @Test
    void end_endsAWaitingTake() throws Exception {
        CompletableFuture<Boolean> atEnd = CompletableFuture.supplyAsync(() -> nextOfAll() == null);
        clock.awaitWaiters(1);
        buffer.end();
        assertThat(atEnd.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void announcement_endsAWaitingTake() throws Exception {
        CompletableFuture<@Nullable String> taken = CompletableFuture.supplyAsync(this::nextOfAll);
        clock.awaitWaiters(1);
        long token = a.tracker().append(0, 1);
        buffer.addAll(a, List.of(Batch.of(new Object[] {"a1"}, 1, a.tracker(), new long[] {token})));
        buffer.announce();
        assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo("a1");
    }

    @Test
    void counts_ofReadyRecords_leaveOutPausedPartitions() {
        fetch(a, 3);
        fetch(a, 2);
        fetch(b, 4);
        AssignedPartition empty = partition(2);
        assertThat(buffer.countReady(List.of(a, b, empty))).isEqualTo(2);
        assertThat(buffer.ready()).isEqualTo(9);
        buffer.pause(a, true);
        assertThat(buffer.countReady(List.of(a, b, empty))).isEqualTo(1);
        assertThat(buffer.ready()).isEqualTo(4);
        assertThat(buffer.records()).isEqualTo(9);
        assertThat(buffer.records(a)).isEqualTo(5);
        assertThat(buffer.purge(List.of(a))).containsExactly(Map.entry(a, 0L));
        assertThat(buffer.records()).isEqualTo(4);
        assertThat(buffer.records(a)).isZero();
    }

    @Test
    void batch_thatIsGivenBack_isReusedEmpty() throws InterruptedException {
        fetch(a, 3);
        Batch<Fetched> taken = Objects.requireNonNull(buffer.take(clock.nanoTime(), new StageMeter()));
        assertThat(buffer.emptyBatch()).isNotSameAs(taken);
        buffer.giveBack(taken);
        Batch<Fetched> reused = buffer.emptyBatch();
        assertThat(reused).isSameAs(taken);
        assertThat(reused.isEmpty()).isTrue();
        assertThat(buffer.emptyBatch()).isNotSameAs(taken);
    }

    private static Fetched record(long offset) {
        return new Fetched.OfRecord(new ConsumerRecord<>("t", 0, offset, new byte[0], new byte[0]));
    }

    @Test
    void find_returnsEachWaitingRecord_andNoOther() throws InterruptedException {
        for (int batch = 0; batch < 3; batch++) {
            long[] tokens = new long[4];
            Object[] values = new Object[4];
            for (int i = 0; i < 4; i++) {
                values[i] = record(10L * batch + i);
                tokens[i] = a.tracker().append(10L * batch + i, 1);
            }
            buffer.add(a, Batch.of(values, 4, a.tracker(), tokens));
        }
        for (int token = 0; token < 12; token++) {
            assertThat(buffer.find(a, token))
                    .isNotNull()
                    .extracting(Fetched::offset)
                    .isEqualTo(10L * (token / 4) + token % 4);
        }
        assertThat(buffer.find(a, 12)).isNull();
        assertThat(buffer.find(b, 0)).isNull();
        Batch<Fetched> taken = Objects.requireNonNull(buffer.take(clock.nanoTime(), new StageMeter()));
        assertThat(taken.size()).isEqualTo(4);
        assertThat(buffer.find(a, 3)).isNull();
        assertThat(buffer.find(a, 4)).isNotNull();
    }

    @Test
    void find_ofABatchWithASingleToken_returnsItsFirstRecord() {
        long[] tokens = new long[3];
        tokens[0] = a.tracker().append(0, 1);
        buffer.add(a, Batch.of(new Object[] {record(0), record(1), record(2)}, 3, a.tracker(), tokens));
        long[] next = new long[2];
        next[0] = a.tracker().append(3, 1);
        buffer.add(a, Batch.of(new Object[] {record(3), record(4)}, 2, a.tracker(), next));
        assertThat(buffer.find(a, 1)).isNotNull().extracting(Fetched::offset).isEqualTo(3L);
    }

    /** A method that kept the lock would stop the owner thread or the pipeline. */
    @Test
    void everyMethod_releasesTheLock() {
        fetch(b, "b1");
        List<Runnable> calls = List.of(
                () -> fetch(a, "a1"),
                () -> hand(a, "a2"),
                () -> buffer.announce(),
                () -> buffer.pause(a, true),
                () -> buffer.pause(a, false),
                () -> buffer.perSecond(5),
                () -> buffer.perSecond(0),
                () -> buffer.perSecond(),
                () -> buffer.waitedNanos(),
                () -> buffer.keepWhole(),
                () -> buffer.records(),
                () -> buffer.records(a),
                () -> buffer.ready(),
                () -> buffer.countReady(List.of(a)),
                () -> buffer.watchReady(0, 1, () -> {}),
                () -> buffer.isNotDue(a),
                () -> buffer.find(b, 7),
                () -> buffer.purge(List.of(a)),
                () -> buffer.end(),
                () -> nextOfAll());
        for (int i = 0; i < calls.size(); i++) {
            calls.get(i).run();
            assertThat(OtherThread.canCall(buffer::records))
                    .as("after call %s", i)
                    .isTrue();
        }
    }
}
