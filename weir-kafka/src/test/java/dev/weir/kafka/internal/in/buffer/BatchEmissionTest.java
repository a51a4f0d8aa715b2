package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.FetchedRow;
import dev.weir.kafka.internal.in.fetch.FetchedRows;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.in.view.KeptViews;
import dev.weir.kafka.internal.in.view.ViewPool;
import dev.weir.lean.spi.InvariantException;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BatchEmissionTest {

    private static final TopicPartition ID = new TopicPartition("t", 0);

    private final RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
    private final AssignedPartition partition =
            new AssignedPartition(ID, new OffsetTracker(100, () -> {}), Long.MAX_VALUE);
    private final ViewPool pool = new ViewPool();
    private ConsumerPhase phase = ConsumerPhase.RUNNING;
    private final BatchEmission emission = new BatchEmission(
            new ConsumerPlan(Subscription.topics("t"), Map.of(), new Delivery.Committable(), null, Set.of()),
            null,
            RecordOutlets.single(buffer),
            new Owner());

    BatchEmissionTest() {
        partition.goOutBy(buffer);
    }

    private void emit(long... offsets) {
        emission.emit(
                partition,
                LongStream.of(offsets)
                        .<Fetched>mapToObj(offset ->
                                new Fetched.OfRecord(new ConsumerRecord<>("t", 0, offset, new byte[0], new byte[0])))
                        .toList());
    }

    private void assertViolation(int number, String words, long... offsets) {
        int before = buffer.records();
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(() -> emit(offsets))
                .withMessageContaining("invariant " + number + " does not hold: " + words)
                .withMessageContaining("t-0@" + offsets[0]);
        assertThat(buffer.records()).as("nothing goes out").isEqualTo(before);
    }

    @Test
    void recordsThatGoBack_violateAnInvariant() {
        emit(10, 11, 20);
        assertViolation(15, "elements of a partition enter the pipeline in order", 20, 21);
        assertViolation(15, "elements of a partition enter the pipeline in order", 0);
        emit(21);
        emit(500, 501);
        assertThat(buffer.records()).isEqualTo(6);
    }

    @Test
    void recordsBeforeThoseThatWereLeftOut_violateAnInvariant() {
        emit(10);
        emission.leaveOut(partition, 11, 30);
        assertViolation(15, "elements of a partition enter the pipeline in order", 29);
        emit(30);
        assertThat(buffer.records()).isEqualTo(2);
    }

    @Test
    void recordsOfAPartitionThatWasTakenAway_violateAnInvariant_unlessNothingGoesOutAnyMore() {
        emit(0);
        partition.tracker().revoke();
        assertViolation(12, "nothing of a partition is emitted after it was taken away", 1);
        phase = ConsumerPhase.CLOSING;
        emit(1);
        assertThat(buffer.records()).isEqualTo(1);
        assertThat(partition.firstDropped()).isEqualTo(1);
    }

    // ---- Batches ---------------------------------------------------------------------------------------------------

    private BatchEmission emission(Subscription subscription, Delivery delivery, @Nullable CommitGate gate) {
        return new BatchEmission(
                new ConsumerPlan(subscription, Map.of(), delivery, null, Set.of()),
                gate,
                RecordOutlets.single(buffer),
                new Owner());
    }

    private AssignedPartition partition(long endOffset, int capacity) {
        AssignedPartition made = new AssignedPartition(ID, new OffsetTracker(capacity, () -> {}), endOffset);
        made.goOutBy(buffer);
        return made;
    }

    private static Fetched record(long offset) {
        return new Fetched.OfRecord(new ConsumerRecord<>(
                "t",
                0,
                offset,
                1_000 + offset,
                TimestampType.CREATE_TIME,
                10,
                20,
                new byte[10],
                new byte[20],
                new RecordHeaders(),
                Optional.empty()));
    }

    private static List<Fetched> records(long from, long to) {
        return LongStream.range(from, to).mapToObj(offset -> record(offset)).toList();
    }

    private Batch<Fetched> take() {
        try {
            return Objects.requireNonNull(buffer.take(System.nanoTime(), new StageMeter()));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<Integer> sizes() {
        List<Integer> sizes = new ArrayList<>();
        for (Batch<?> next = take(); !next.isEmpty(); next = take()) {
            sizes.add(next.size());
        }
        return sizes;
    }

    private static List<Long> offsets(Batch<Fetched> batch) {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            offsets.add(batch.get(i).offset());
        }
        return offsets;
    }

    @Test
    void records_areEmittedWithTheirTokensWeightsAndTimestamps() {
        emission.emit(partition, List.of(record(10), record(12)));
        emission.emit(partition, records(20, 21));
        OffsetTracker tracker = partition.tracker();
        Batch<Fetched> first = take();
        assertThat(offsets(first)).containsExactly(10L, 12L);
        for (int i = 0; i < 2; i++) {
            assertThat(first.target(i)).isSameAs(tracker);
            assertThat(tracker.offsetOf(first.token(i))).isEqualTo(10 + 2 * i);
        }
        Batch<Fetched> second = take();
        assertThat(tracker.offsetOf(second.token(0))).isEqualTo(20);
        assertThat(tracker.outstanding()).isEqualTo(3);
        assertThat(tracker.outstandingBytes()).isEqualTo(3 * (128 + 30));
        assertThat(tracker.firstUnfinishedTimestamp()).isEqualTo(1_010);
        assertThat(partition.firstDropped()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void manyRecords_areEmittedInBatchesOfTheUsualSize() {
        AssignedPartition large = partition(Long.MAX_VALUE, 2_000);
        emission.emit(large, records(0, 1_025));
        assertThat(take().token(511)).isEqualTo(511);
        assertThat(take().token(0)).isEqualTo(512);
        assertThat(sizes()).containsExactly(1);
        emission.emit(large, records(1_025, 1_025 + 512));
        assertThat(sizes()).containsExactly(512);
    }

    @Test
    void recordsWithPriorities_areEmittedInSmallBatches() {
        BatchEmission prioritised =
                emission(Subscription.topics("t").priority("t", 1), new Delivery.Committable(), null);
        AssignedPartition large = partition(Long.MAX_VALUE, 2_000);
        prioritised.emit(large, records(0, 130));
        assertThat(sizes()).containsExactly(64, 64, 2);
    }

    @Test
    void recordsFromTheEndOn_areDropped() {
        AssignedPartition bounded = partition(12, 100);
        emission.emit(bounded, records(9, 12));
        assertThat(bounded.firstDropped()).isEqualTo(Long.MAX_VALUE);
        AssignedPartition other = partition(12, 100);
        emission.emit(other, List.of(record(10), record(11), record(15), record(16)));
        assertThat(other.firstDropped()).isEqualTo(15);
        emission.emit(other, records(17, 19));
        assertThat(other.firstDropped()).isEqualTo(15);
        assertThat(sizes()).containsExactly(3, 2);
    }

    @Test
    void recordsFinishedEarlier_areNotEmittedAgain() {
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(11, 12);
        finished.add(13, 14);
        partition.skip(finished.build());
        emission.emit(partition, records(10, 15));
        emission.emit(partition, records(15, 17));
        Batch<Fetched> first = take();
        assertThat(offsets(first)).containsExactly(10L, 12L, 14L);
        assertThat(List.of(first.token(0), first.token(1), first.token(2))).containsExactly(0L, 2L, 4L);
        Batch<Fetched> second = take();
        assertThat(offsets(second)).containsExactly(15L, 16L);
        first.ackAll();
        second.ackAll();
        partition.advance();
        assertThat(partition.tracker().isIdle()).isTrue();
        assertThat(partition.tracker().committableOffset()).isEqualTo(17);
    }

    @Test
    void recordsThatWereAllFinishedEarlier_leaveNoBatch() {
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(10, 14);
        partition.skip(finished.build());
        emission.emit(partition, records(10, 13));
        assertThat(take().isEmpty()).isTrue();
        partition.advance();
        assertThat(partition.tracker().committableOffset()).isEqualTo(13);
    }

    /** It stands for a batch that cannot be read. */
    @Test
    void elementWithSeveralOffsets_isReadToItsEnd() {
        ConsumerRecord<byte[], byte[]> first = new ConsumerRecord<>("t", 0, 10, new byte[0], new byte[0]);
        emission.emit(partition, List.of(new Fetched.OfRecord(first, 30)));
        assertThat(partition.tracker().nextOffset()).isEqualTo(30);
        assertViolation(15, "elements of a partition enter the pipeline in order", 29);
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(30, 35);
        partition.skip(finished.build());
        ConsumerRecord<byte[], byte[]> next = new ConsumerRecord<>("t", 0, 30, new byte[0], new byte[0]);
        emission.emit(partition, List.of(new Fetched.OfRecord(next, 40)));
        assertThat(buffer.records()).as("finished in part").isEqualTo(2);
    }

    /** They are of another partition. */
    @Test
    void batchesOfAFailedEmission_areNotEmittedWithTheNextOnes() {
        BatchEmission prioritised =
                emission(Subscription.topics("t").priority("t", 1), new Delivery.Committable(), null);
        AssignedPartition small = partition(Long.MAX_VALUE, 100);
        assertThatThrownBy(() -> prioritised.emit(small, records(0, 130))).hasMessageContaining("window full");
        assertThat(buffer.records()).isZero();
        prioritised.emit(partition, records(0, 1));
        assertThat(sizes()).containsExactly(1);
    }

    @Test
    void announcement_wakesTheThreadThatWaitsForRecords() throws Exception {
        VirtualClock clock = new VirtualClock();
        RecordBuffer waiting = new RecordBuffer(clock);
        partition.goOutBy(waiting);
        CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(() -> {
            try {
                return Objects.requireNonNull(waiting.take(Duration.ofHours(1).toNanos(), new StageMeter()))
                        .size();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        clock.awaitWaiters(1);
        emission.emit(partition, records(0, 2));
        emission.emit(partition, records(2, 3));
        emission.announce();
        assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo(2);
    }

    @Test
    void recordsTakenBack_areForgottenFromTheFirstOn() {
        emission.emit(partition, records(10, 12));
        emission.emit(partition, records(12, 15));
        Batch<Fetched> pulled = take();
        emission.takeBack(List.of(partition));
        assertThat(buffer.records()).isZero();
        assertThat(partition.firstDropped()).isEqualTo(12);
        pulled.ackAll();
        partition.advance();
        assertThat(partition.tracker().isIdle()).isTrue();
        assertThat(partition.tracker().committableOffset()).isEqualTo(12);
        AssignedPartition other = partition(Long.MAX_VALUE, 100);
        emission.emit(other, records(0, 3));
        emission.takeBackUnpromised(List.of(other));
        assertThat(buffer.records()).isZero();
        assertThat(other.firstDropped()).isZero();
    }

    @Test
    void offsetsThatAreLeftOut_countAsFinished_ifTheyAreBeforeTheEnd() {
        AssignedPartition bounded = partition(20, 100);
        emission.leaveOut(bounded, 18, 20);
        bounded.advance();
        assertThat(bounded.tracker().isIdle()).isTrue();
        assertThat(bounded.tracker().committableOffset()).isEqualTo(20);
        assertThat(bounded.firstDropped()).isEqualTo(Long.MAX_VALUE);
        emission.leaveOut(bounded, 20, 25);
        assertThat(bounded.tracker().nextOffset()).isEqualTo(20);
        assertThat(bounded.firstDropped()).isEqualTo(20);
        phase = ConsumerPhase.STOPPED;
        emission.leaveOut(partition, 5, 6);
        assertThat(partition.firstDropped()).isEqualTo(5);
        assertThat(partition.tracker().nextOffset()).isNegative();
    }

    // ---- Untracked records -----------------------------------------------------------------------------------------

    @Test
    void untrackedRecords_haveOneTokenWithTheirWeight() {
        BatchEmission untracked = emission(Subscription.topics("t"), new Delivery.Plain(false), null);
        assertThat(untracked.isTracked()).isFalse();
        assertThat(emission.isTracked()).isTrue();
        untracked.emit(partition, records(10, 14));
        assertThat(partition.tracker().outstanding()).isEqualTo(1);
        assertThat(partition.tracker().outstandingBytes()).isEqualTo(4 * (128 + 30));
        untracked.emit(partition, records(14, 15));
        Batch<Fetched> first = take();
        assertThat(offsets(first)).containsExactly(10L, 11L, 12L, 13L);
        assertThat(first.target(0)).isSameAs(partition.tracker());
        assertThat(first.token(0)).isZero();
        assertThat(take().token(0)).isEqualTo(1);
    }

    @Test
    void recordsCommittedFirst_waitAtTheGate() {
        RecordedGate gate = new RecordedGate(2);
        BatchEmission ahead = emission(Subscription.topics("t"), new Delivery.AtMostOnce(10), gate);
        assertThat(ahead.commitsAhead()).isTrue();
        ahead.emit(partition, records(10, 15));
        assertThat(gate.calls).containsExactly("add t-0 2 to 12", "add t-0 2 to 14", "add t-0 1 to 15");
        assertThat(buffer.records()).isZero();
        assertThat(offsets(gate.batches.get(1))).containsExactly(12L, 13L);
        gate.calls.clear();
        ahead.leaveOut(partition, 15, 19);
        ahead.readTo(partition, 20);
        ahead.placed(partition, 3);
        assertThat(gate.calls).containsExactly("read t-0 to 19", "read t-0 to 20", "place t-0@3");
        assertThat(partition.tracker().outstanding()).isEqualTo(3);
        assertThat(ahead.holdsBack()).isFalse();
        gate.waits = true;
        assertThat(ahead.holdsBack()).isTrue();
    }

    @Test
    void recordsCommittedFirst_areTakenBackOnlyFromTheGate() {
        RecordedGate gate = new RecordedGate(2);
        BatchEmission ahead = emission(Subscription.topics("t"), new Delivery.AtMostOnce(10), gate);
        ahead.emit(partition, records(10, 12));
        buffer.add(partition, gate.batches.get(0));
        ahead.takeBackUnpromised(List.of(partition));
        assertThat(buffer.records()).isEqualTo(2);
        ahead.takeBack(List.of(partition));
        assertThat(buffer.records()).isZero();
        assertThat(gate.calls).containsExactly("add t-0 2 to 12", "drop [t-0]", "drop [t-0]");
        assertThat(partition.firstDropped()).isEqualTo(10);
    }

    @Test
    void emissionWithoutAGate_holdsNothingBack() throws InterruptedException {
        assertThat(emission.commitsAhead()).isFalse();
        assertThat(emission.holdsBack()).isFalse();
        emission.placed(partition, 3);
        emission.readTo(partition, 20);
        assertThat(partition.tracker().nextOffset()).isNegative();
        emission.end();
        Batch<?> none = buffer.take(System.nanoTime(), new StageMeter());
        assertThat(none).isNull();
    }

    // ---- Elements with several records -----------------------------------------------------------------------------

    @Test
    void elementsWithSeveralRecords_areEmittedInOneBatch() {
        FetchedRow first = FetchedRows.row(pool, 0, 5);
        FetchedRow second = FetchedRows.row(pool, 5, 8);
        int bytes = first.sizeBytes() + second.sizeBytes();
        emission.emit(partition, List.of(first, second));
        OffsetTracker tracker = partition.tracker();
        assertThat(tracker.nextOffset()).isEqualTo(8);
        assertThat(tracker.outstandingBytes()).isEqualTo(2 * 128 + bytes);
        assertThat(tracker.firstUnfinishedTimestamp()).isEqualTo(first.timestamp());
        Batch<Fetched> batch = take();
        assertThat(batch.size()).isEqualTo(2);
        assertThat(batch.get(0)).isSameAs(first);
        assertThat(tracker.offsetOf(batch.token(1))).isEqualTo(5);
        assertThat(batch.target(1)).isSameAs(tracker);
        assertThat(second.views().token()).isEqualTo(batch.token(1));
        assertThat(partition.firstDropped()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void elementWithSeveralRecords_isCutAtTheEnd() {
        AssignedPartition bounded = partition(5, 100);
        FetchedRow whole = FetchedRows.row(pool, 0, 5);
        emission.emit(bounded, List.of(whole));
        assertThat(whole.nextOffset()).isEqualTo(5);
        assertThat(bounded.firstDropped()).isEqualTo(Long.MAX_VALUE);
        AssignedPartition other = partition(7, 100);
        FetchedRow cut = FetchedRows.row(pool, 5, 9);
        emission.emit(other, List.of(FetchedRows.row(pool, 0, 5), cut, FetchedRows.row(pool, 9, 10)));
        assertThat(cut.nextOffset()).isEqualTo(7);
        assertThat(other.tracker().nextOffset()).isEqualTo(7);
        assertThat(other.firstDropped()).isEqualTo(7);
        assertThat(sizes()).containsExactly(1, 2);
    }

    @Test
    void elementWithSeveralRecords_isSkippedIfAllWereFinishedEarlier() {
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(0, 7);
        partition.skip(finished.build());
        FetchedRow first = FetchedRows.row(pool, 0, 5);
        KeptViews skipped = first.views();
        FetchedRow second = FetchedRows.row(pool, 5, 8);
        emission.emit(partition, List.of(first, second));
        Batch<Fetched> batch = take();
        assertThat(batch.size()).isEqualTo(1);
        assertThat(batch.get(0)).isSameAs(second);
        assertThat(pool.takeViews()).as("its memory is used again").isSameAs(skipped);
        batch.ackAll();
        partition.advance();
        assertThat(partition.tracker().committableOffset()).isEqualTo(8);

        FinishedSet.Builder rest = new FinishedSet.Builder();
        rest.add(8, 9);
        partition.skip(rest.build());
        emission.emit(partition, List.of(FetchedRows.row(pool, 8, 9)));
        assertThat(take().isEmpty()).isTrue();
        assertThat(partition.tracker().nextOffset()).isEqualTo(9);
    }

    @Test
    void memoryOfElements_isUsedAgain_onceAllBeforeThemAreFinished() {
        FetchedRow first = FetchedRows.row(pool, 0, 5);
        FetchedRow second = FetchedRows.row(pool, 5, 8);
        KeptViews firstViews = first.views();
        KeptViews secondViews = second.views();
        emission.emit(partition, List.of(first, second));
        Batch<Fetched> batch = take();
        firstViews.close();
        secondViews.close();
        batch.ack(1);
        partition.advance();
        assertThat(pool.takeViews()).isNotSameAs(secondViews);
        batch.ack(0);
        partition.advance();
        assertThat(List.of(pool.takeViews(), pool.takeViews())).containsExactlyInAnyOrder(firstViews, secondViews);
    }

    private final class Owner implements OwnerThread {

        @Override
        public void execute(Runnable request) {
            request.run();
        }

        @Override
        public void wake() {}

        @Override
        public ConsumerPhase phase() {
            return phase;
        }

        @Override
        public void fail(Throwable failure) {}

        @Override
        public long withinPatience(long nanos) {
            return nanos;
        }

        @Override
        public boolean awaitOrEnd(CompletableFuture<?> done) {
            return true;
        }
    }
}
