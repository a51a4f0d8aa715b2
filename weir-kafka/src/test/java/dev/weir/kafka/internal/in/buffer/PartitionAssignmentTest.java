package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.commit.ManualClock;
import dev.weir.kafka.internal.in.commit.QueuedOwner;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PartitionAssignmentTest {

    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);
    private static final TopicPartition C = new TopicPartition("u", 0);

    private static final ConsumerSettings<byte[], byte[]> SETTINGS =
            ConsumerSettings.builder().bootstrapServers("h:1").groupId("g").build();

    private final RecordedFetcher fetcher = new RecordedFetcher();
    private final FlowControl flow = new FlowControl(SETTINGS, 1, 1_000, new ManualClock(), () -> {});
    private final RecordBuffer buffer = new RecordBuffer(Clock.SYSTEM);
    private final List<String> outletCalls = new ArrayList<>();
    private final PausedPartitions pauses = new PausedPartitions();
    private final QueuedOwner owner = new QueuedOwner();
    private final DroppedRecords dropped = new DroppedRecords(true);
    private PartitionAssignment assignment = assignment(Subscription.topics("t", "u"), Map.of(), null);

    private final class Outlets implements RecordOutlets {

        @Override
        public void open(AssignedPartition partition) {
            outletCalls.add("open " + partition);
            partition.goOutBy(buffer);
        }

        @Override
        public void withdrawn(Collection<AssignedPartition> partitions) {
            outletCalls.add("withdrawn " + partitions);
        }

        @Override
        public void end() {}

        @Override
        public int records() {
            return buffer.records();
        }
    }

    private PartitionAssignment assignment(
            Subscription subscription, Map<TopicPartition, Long> ends, @Nullable CommitGate gate) {
        ConsumerPlan plan = new ConsumerPlan(subscription, ends, new Delivery.Committable(), null, Set.of());
        RecordOutlets outlets = new Outlets();
        return new PartitionAssignment(
                plan,
                fetcher,
                outlets,
                flow,
                new BatchEmission(plan, gate, outlets, owner),
                pauses,
                100,
                owner,
                dropped);
    }

    private AssignedPartition add(TopicPartition id) {
        assignment.add(List.of(id), 3);
        return get(id);
    }

    private AssignedPartition get(TopicPartition id) {
        return Objects.requireNonNull(assignment.get(id));
    }

    /** Emits records, one batch each. The pipeline does not pull them. */
    private static void emit(AssignedPartition partition, long from, long to) {
        for (long offset = from; offset < to; offset++) {
            long token = partition.tracker().append(offset, 1);
            partition.outlet().add(partition, Batch.of(new Object[1], 1, partition.tracker(), new long[] {token}));
        }
    }

    @Test
    void addedPartitions_areListed() {
        assertThat(assignment.all()).isEmpty();
        assignment.add(List.of(A, B), 3);
        assertThat(assignment.all()).containsExactly(get(A), get(B));
        assertThat(assignment.all()).isSameAs(assignment.all());
        AssignedPartition c = add(C);
        assertThat(assignment.all()).containsExactly(get(A), get(B), c);
        assertThat(assignment.ids()).containsExactlyInAnyOrder(A, B, C);
        assertThat(assignment.byId()).containsOnlyKeys(A, B, C);
        assertThatThrownBy(() -> assignment.byId().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThat(assignment.current(List.of(C, new TopicPartition("v", 0), A)))
                .containsExactly(c, get(A));
        assertThat(assignment.get(new TopicPartition("v", 0))).isNull();
        assertThat(outletCalls).containsExactly("open t-0", "open t-1", "open u-0");
        assertThat(fetcher.calls).isEmpty();
        assertThat(c.epoch()).isEqualTo(3);
        assertThat(c.endOffset()).isEqualTo(Long.MAX_VALUE);
        assertThat(assignment.dropped()).isSameAs(dropped);
        assertThat(assignment.isFetchedByTopicId()).isFalse();
        Set<TopicPartition> copy = assignment.ids();
        assignment.clear();
        assertThat(copy).hasSize(3);
        assertThat(assignment.all()).isEmpty();
        assertThat(assignment.get(A)).isNull();
    }

    @Test
    void addedPartition_hasThePriorityAndTheSharesOfItsTopic() {
        assignment = assignment(Subscription.topics("t", "u").priority("u", 4), Map.of(), null);
        assertThat(add(C).buffered().priority).isEqualTo(4);
        assertThat(get(C).weight()).isEqualTo(2);
        assertThat(add(A).buffered().priority).isZero();
        assertThat(get(A).weight()).isEqualTo(1);
    }

    @Test
    void partitionOfABoundedRead_hasItsEnd_andIsPausedWhileItIsUnknown() {
        assignment =
                assignment(Subscription.topics("t", "u").untilEnd(), Map.of(A, 7L, B, AssignedPartition.UNKNOWN), null);
        assertThat(add(A).endOffset()).isEqualTo(7);
        assertThat(add(C).endOffset()).as("created after the start").isZero();
        assertThat(fetcher.calls).isEmpty();
        assertThat(add(B).endOffset()).isEqualTo(AssignedPartition.UNKNOWN);
        assertThat(fetcher.calls).containsExactly("pause [t-1]");
        assertThat(get(B).isPaused()).isTrue();
    }

    @Test
    void userPauses_applyToAddedAndRenewedPartitions_andEndWithTheAssignment() {
        pauses.pause("t");
        AssignedPartition a = add(A);
        assertThat(a.buffered().isPaused()).isTrue();
        AssignedPartition renewed = assignment.renew(a);
        assertThat(renewed.buffered().isPaused()).isTrue();
        assertThat(assignment.withdraw(List.of(A))).containsExactly(renewed);
        assertThat(renewed.buffered().isPaused()).isFalse();
    }

    @Test
    void withdrawnPartition_hasNoRecordsLeft_andIsRevoked() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        emit(a, 5, 8);
        emit(b, 0, 2);
        assertThat(assignment.withdraw(List.of(A, C))).containsExactly(a);
        assertThat(a.tracker().isRevoked()).isTrue();
        assertThat(b.tracker().isRevoked()).isFalse();
        assertThat(assignment.all()).containsExactly(b);
        assertThat(assignment.isCurrent(a)).isFalse();
        assertThat(assignment.isCurrent(b)).isTrue();
        assertThat(buffer.records()).isEqualTo(2);
        assertThat(a.firstDropped()).isEqualTo(5);
        assertThat(fetcher.calls).containsExactly("withdrawn [t-0, u-0]");
        assertThat(outletCalls).endsWith("withdrawn [t-0]");
    }

    /** No other member will receive them. */
    @Test
    void withdrawnRecords_thatAreCommitted_stayInTheBuffer() {
        RecordedGate gate = new RecordedGate(10);
        assignment = assignment(Subscription.topics("t", "u"), Map.of(), gate);
        AssignedPartition a = add(A);
        emit(a, 5, 8);
        assertThat(assignment.withdraw(List.of(A))).containsExactly(a);
        assertThat(gate.calls).containsExactly("drop [t-0]");
        assertThat(buffer.records()).isEqualTo(3);
    }

    /** With twice as many partitions, each has half of the budget. */
    @Test
    void budget_isDividedAmongTheAssignedPartitions() {
        int most = (int) (SETTINGS.bufferBytes() * 2 / 3);
        AssignedPartition a = add(A);
        a.tracker().append(0, most);
        flow.afterFetch(a, fetcher);
        assertThat(a.isPaused()).isFalse();
        add(B);
        flow.afterFetch(a, fetcher);
        assertThat(a.isPaused()).isTrue();
        assertThat(assignment.withdraw(List.of(B))).hasSize(1);
        a.resume(0);
        flow.afterFetch(a, fetcher);
        assertThat(a.isPaused()).isFalse();
    }

    @Test
    void pause_reachesTheFetcherOnce() {
        AssignedPartition a = add(A);
        assignment.pause(a, PauseReason.UNREAD);
        assignment.pause(a, PauseReason.END);
        assertThat(fetcher.calls).containsExactly("pause [t-0]");
        assertThat(a.isPausedFor(PauseReason.END)).isTrue();
    }

    @Test
    void fetchNoMore_pausesAllForGood() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        assignment.pause(a, PauseReason.FLOW);
        assignment.fetchNoMore();
        assertThat(fetcher.calls).containsExactly("pause [t-0]", "pause [t-0, t-1]");
        assertThat(a.isPausedFor(PauseReason.END)).isTrue();
        assertThat(b.isPausedFor(PauseReason.END)).isTrue();
        assertThat(b.isPaused()).isTrue();
    }

    @Test
    void renewedPartition_replacesTheOther_whoseRecordsAreWithdrawn() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        assertThat(assignment.all()).containsExactly(a, b);
        emit(a, 5, 8);
        AssignedPartition renewed = assignment.renew(a);
        assertThat(renewed).isNotSameAs(a);
        assertThat(renewed.tracker()).isNotSameAs(a.tracker());
        assertThat(renewed.tracker().isRevoked()).isFalse();
        assertThat(renewed.outlet()).isSameAs(buffer);
        assertThat(renewed.isPausedFor(PauseReason.END)).isFalse();
        assertThat(a.tracker().isRevoked()).isTrue();
        assertThat(buffer.records()).isZero();
        assertThat(assignment.all()).containsExactly(renewed, b);
        assertThat(assignment.isCurrent(a)).isFalse();
        assertThat(assignment.isCurrent(renewed)).isTrue();
        assertThat(assignment.isEnding()).isFalse();
        owner.phase = ConsumerPhase.STOPPED;
        assertThat(assignment.isEnding()).isTrue();
        assertThat(assignment.renew(b).isPausedFor(PauseReason.END)).isTrue();
    }

    @Test
    void heldPartition_isPausedAndLosesItsPosition() {
        AssignedPartition a = add(A);
        assignment.release(a, new LogPosition(5, 2));
        assertThat(assignment.isAt(a, 5)).isTrue();
        assertThat(assignment.isAt(a, 6)).isFalse();
        fetcher.calls.clear();
        assignment.hold(List.of(a));
        assertThat(fetcher.calls).containsExactly("pause [t-0]", "hold t-0");
        assertThat(a.isHeld()).isTrue();
        assertThat(assignment.isAt(a, 5)).as("not while it is held").isFalse();
    }

    @Test
    void releasedPartition_continuesAtItsPosition() {
        RecordedGate gate = new RecordedGate(10);
        assignment = assignment(Subscription.topics("t", "u"), Map.of(), gate);
        AssignedPartition a = add(A);
        assignment.hold(List.of(a));
        assignment.release(a, new LogPosition(5, 2));
        assertThat(a.isPlaced()).isTrue();
        assertThat(a.epochs().begin()).isEqualTo(5);
        assertThat(a.epochs().before(5)).isEqualTo(2);
        assertThat(fetcher.calls).endsWith("seek t-0@5 (epoch 2)");
        assertThat(gate.calls).containsExactly("place t-0@5");
    }

    @Test
    void partition_thatGoesOnAtTheGroupsOffset_commitsNothingFirst() {
        RecordedGate gate = new RecordedGate(10);
        assignment = assignment(Subscription.topics("t", "u"), Map.of(), gate);
        AssignedPartition a = add(A);
        assignment.hold(List.of(a));
        assignment.goOn(a, LogPosition.at(9));
        assertThat(a.isPlaced()).isFalse();
        assertThat(a.isHeld()).isFalse();
        assertThat(a.epochs().begin()).isEqualTo(9);
        assertThat(fetcher.calls).endsWith("seek t-0@9");
        assertThat(gate.calls).isEmpty();
    }

    @Test
    void position_isVerifiedAgain_unlessThePartitionIsHeld() {
        AssignedPartition a = add(A);
        assignment.release(a, new LogPosition(5, 2));
        fetcher.calls.clear();
        fetcher.positions.put(A, new LogPosition(8, 3));
        assignment.checkAgain(a);
        assertThat(fetcher.calls).containsExactly("seek t-0@8 (epoch 3)");
        assertThat(a.epochs().begin()).as("where it began").isEqualTo(5);
        assignment.hold(List.of(a));
        fetcher.calls.clear();
        assignment.checkAgain(a);
        assertThat(fetcher.calls).isEmpty();
    }

    @Test
    void startPosition_isSetOnlyBeforeTheFirstRecord() {
        assertThatThrownBy(() -> assignment.placeNew(A, 4))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("t-0 is not assigned");
        AssignedPartition a = add(A);
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(5, 6);
        a.skip(finished.build());
        assignment.placeNew(A, 4);
        assertThat(a.isPlaced()).isTrue();
        assertThat(a.finishedEarlier()).isEqualTo(FinishedSet.EMPTY);
        assertThat(fetcher.calls).containsExactly("seek t-0@4");
        emit(a, 0, 1);
        assertThatThrownBy(() -> assignment.placeNew(A, 4))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("records of t-0 were read already");
    }

    @Test
    void unfinishedRecords_areDescribedByPartition() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        AssignedPartition c = add(C);
        emit(a, 5, 8);
        emit(b, 0, 1);
        emit(c, 9, 10);
        b.tracker().ack(0);
        b.advance();
        assertThat(PartitionAssignment.unfinished(assignment.all()))
                .isEqualTo("t-0@5 and 2 after it, u-0@9 and 0 after it");
        assertThat(PartitionAssignment.unfinished(List.of(b))).isEmpty();
    }
}
