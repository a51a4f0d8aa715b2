package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommitAheadTest {

    private static final int AHEAD = 10;

    private final Answering client = new Answering();
    private final ClientFetcher fetcher = new ClientFetcher(client);
    private final RecordBuffer buffer = new RecordBuffer(new VirtualClock());
    private final PausedPartitions pauses = new PausedPartitions();
    private final ManualClock clock = new ManualClock();
    private final GoneTopic topic = new GoneTopic(new TopicPartition("t", 0));
    private final OffsetCommits commits = new OffsetCommits(
            client,
            fetcher,
            ConsumerSettings.builder().bootstrapServers("h:1").build(),
            topic,
            clock,
            MemberCommit.NONE);
    private final OwnerWaits signals = new OwnerWaits(fetcher, clock);
    private final CommitAhead ahead =
            new CommitAhead(commits, RecordOutlets.single(buffer), AHEAD, pauses::isPaused, signals, clock);
    private final AssignedPartition a = partition(0);
    private final AssignedPartition b = partition(1);

    CommitAheadTest() {
        topic.exists = true;
    }

    private AssignedPartition partition(int number) {
        TopicPartition id = new TopicPartition("t", number);
        AssignedPartition partition = new AssignedPartition(id, new OffsetTracker(1_000, () -> {}), Long.MAX_VALUE);
        partition.goOutBy(buffer);
        pauses.assigned(partition);
        return partition;
    }

    private void fetch(AssignedPartition partition, long from, int records) {
        Object[] values = new Object[records];
        for (int i = 0; i < records; i++) {
            values[i] = new Fetched.OfRecord(
                    new ConsumerRecord<>("t", partition.id().partition(), from + i, new byte[0], new byte[0]));
        }
        long[] tokens = new long[records];
        tokens[0] = partition.tracker().append(from, 1);
        ahead.add(partition, Batch.of(values, records, partition.tracker(), tokens), from + records);
    }

    /** Returns the partition and the first offset of the next batch; null if there is none. */
    private @Nullable String take() {
        Batch<Fetched> batch;
        try {
            batch = buffer.take(0, new StageMeter());
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        if (batch == null || batch.isEmpty()) {
            return null;
        }
        ConsumerRecord<?, ?> first = Fetched.<ConsumerRecord<?, ?>>unwrap(batch).get(0);
        return first.partition() + "@" + first.offset();
    }

    private long committed(AssignedPartition partition) {
        return client.offsets.getOrDefault(partition.id(), -1L);
    }

    @Test
    void records_goOutBehindTheirCommitAndNoFurtherThanAllowed() {
        fetch(a, 0, 6);
        fetch(b, 0, 6);
        ahead.commitDue(List.of());
        assertThat(client.offsets).isEqualTo(Map.of(a.id(), 6L));
        assertThat(take()).isEqualTo("0@0");
        assertThat(take()).isNull();
        ahead.commitDue(List.of());
        assertThat(committed(b)).isEqualTo(6);
        assertThat(take()).isEqualTo("1@0");
    }

    @Test
    void records_thatWait_areCountedUntilTheyGoOutOrAreDropped() {
        fetch(a, 0, 6);
        fetch(a, 6, 6);
        fetch(b, 0, 6);
        assertThat(ahead.waitingRecords(a)).isEqualTo(12);
        ahead.commitDue(List.of());
        assertThat(ahead.waitingRecords(a)).isEqualTo(6);
        assertThat(ahead.waitingRecords(b)).isEqualTo(6);
        ahead.drop(List.of(b));
        assertThat(ahead.waitingRecords(b)).isZero();
        assertThat(ahead.waitingRecords(a)).isEqualTo(6);
    }

    @Test
    void commit_thatFails_letsNothingOut() {
        client.failure = new TimeoutException("no answer");
        fetch(a, 0, 5);
        ahead.commitDue(List.of());
        assertThat(take()).isNull();
        assertThat(ahead.isWaiting()).isTrue();
        client.failure = null;
        clock.nanos += Duration.ofSeconds(1).toNanos();
        ahead.commitDue(List.of());
        assertThat(take()).isEqualTo("0@0");
    }

    @Test
    void commit_waitsBrieflyForItsResponse_andEndsTheBackoff() {
        client.failure = new TimeoutException("no answer");
        fetch(a, 0, 5);
        ahead.commitDue(List.of());
        assertThat(client.timeout).isEqualTo(Duration.ofSeconds(1));
        assertThat(ahead.nanosUntilDue()).isEqualTo(Duration.ofMillis(100).toNanos());
        client.failure = null;
        clock.nanos += Duration.ofSeconds(1).toNanos();
        ahead.commitDue(List.of());
        assertThat(commits.succeeded()).isEqualTo(1);
        assertThat(ahead.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        client.failure = new TimeoutException("no answer");
        fetch(a, 5, 5);
        assertThat(take()).isEqualTo("0@0");
        ahead.commitDue(List.of());
        assertThat(ahead.nanosUntilDue())
                .as("the delay starts again")
                .isEqualTo(Duration.ofMillis(100).toNanos());
    }

    /** The client never completes a commit that contains a deleted partition. */
    @Test
    void recordsOfAPartitionThatIsGone_stay_andThoseOfOthersGoOut() {
        topic.exists = false;
        commits.lookForGone(Set.of(a.id()));
        assertThat(commits.isGone(a.id())).isTrue();
        fetch(a, 0, 5);
        fetch(b, 0, 5);
        ahead.commitDue(List.of());
        assertThat(client.offsets).isEqualTo(Map.of(b.id(), 5L));
        assertThat(take()).isEqualTo("1@0");
        assertThat(take()).isNull();
        assertThat(ahead.waitingRecords(a)).isEqualTo(5);
    }

    // Regression: a paused partition stopped the emission of records of all other partitions.
    @Test
    void pausedPartition_withAllTheRoomTaken_doesNotHoldUpTheOthers() {
        fetch(a, 0, AHEAD);
        ahead.commitDue(List.of());
        pauses.pause(List.of(a.id()));
        fetch(a, 10, AHEAD);
        fetch(b, 0, 5);
        ahead.commitDue(List.of());
        assertThat(take()).isEqualTo("1@0");
        assertThat(committed(a)).as("what is paused is not committed").isEqualTo(10);
        ahead.commitDue(List.of());
        assertThat(take()).isNull();
        pauses.resume(List.of(a.id()));
        assertThat(take()).isEqualTo("0@0");
        ahead.commitDue(List.of());
        assertThat(take()).isEqualTo("0@10");
    }

    @Test
    void place_isCommittedAtOnceAlsoBackwardsAndBeforeItsRecordsGoOut() {
        fetch(a, 100, 5);
        ahead.commitDue(List.of());
        assertThat(take()).isEqualTo("0@100");
        ahead.place(a, 40);
        ahead.commitDue(List.of());
        assertThat(committed(a)).isEqualTo(40);
        fetch(a, 40, 5);
        ahead.commitDue(List.of());
        assertThat(committed(a)).isEqualTo(45);
        assertThat(take()).isEqualTo("0@40");
    }

    @Test
    void place_thatWasDroppedWithItsRecords_isCommittedWhenThePartitionGoes() {
        ahead.place(a, 40);
        ahead.place(b, 7);
        client.failure = new TimeoutException("no answer");
        ahead.commitDue(List.of());
        client.failure = null;
        fetch(a, 40, 5);
        ahead.drop(Set.of(a, b));
        assertThat(ahead.isWaiting()).isFalse();
        ahead.commitNow(List.of(a), 1);
        assertThat(client.offsets).isEqualTo(Map.of(a.id(), 40L));
        assertThat(client.timeout).isEqualTo(Duration.ofNanos(1));
    }

    @Test
    void place_behindWhichRecordsHaveGoneOut_isNotCommittedAgain() {
        ahead.place(a, 40);
        fetch(a, 40, 5);
        ahead.commitDue(List.of());
        ahead.commitNow(List.of(a), 1);
        assertThat(committed(a)).isEqualTo(45);
    }

    @Test
    void end_ofAPausedPartition_isNotCommittedBeforeItsRecords() {
        pauses.pause(List.of(a.id()));
        ahead.place(a, 0);
        fetch(a, 0, 5);
        ahead.readTo(a, 9);
        ahead.readTo(b, 3);
        ahead.commitDue(List.of());
        assertThat(client.offsets).isEqualTo(Map.of(a.id(), 0L, b.id(), 3L));
        assertThat(take()).isNull();
        pauses.resumeAll();
        ahead.commitDue(List.of());
        assertThat(committed(a)).isEqualTo(9);
        assertThat(take()).isEqualTo("0@0");
        assertThat(ahead.isWaiting()).isFalse();
    }

    @Test
    void records_thatArePulledWithinTheSpell_areFollowedByTheNextOnes() {
        clock.nanos = Duration.ofMinutes(1).toNanos();
        List<String> taken = new ArrayList<>();
        clock.whileParked = () -> taken.add(take());
        for (int from = 0; from < 30; from += 6) {
            fetch(a, from, 6);
        }
        ahead.commitDue(List.of());
        assertThat(taken).containsExactly("0@0");
        assertThat(committed(a)).isEqualTo(12);
        assertThat(signals.isCallbackSignalled())
                .as("more may fit by now, and nothing else wakes the owner")
                .isTrue();
        clock.whileParked = () -> {};
        signals.clearCallbackSignal();
        ahead.commitDue(List.of());
        assertThat(committed(a)).isEqualTo(12);
        assertThat(signals.isCallbackSignalled())
                .as("the next pull wakes the owner")
                .isFalse();
    }

    @Test
    void pull_wakesTheOwner_onceHalfOfTheRoomIsFree() {
        fetch(a, 0, AHEAD / 2 + 1);
        fetch(a, AHEAD / 2 + 1, AHEAD / 2);
        ahead.commitDue(List.of());
        signals.clearCallbackSignal();
        ahead.taken();
        assertThat(signals.isCallbackSignalled()).as("too many wait there").isFalse();
        assertThat(take()).isEqualTo("0@0");
        ahead.commitDue(List.of());
        fetch(a, AHEAD + 1, AHEAD);
        ahead.commitDue(List.of());
        signals.clearCallbackSignal();
        ahead.taken();
        assertThat(signals.isCallbackSignalled()).isTrue();
    }

    @Test
    void pull_thatMakesRoomJustAfterTheOwnerHasLooked_wakesIt() {
        RecordOutlets single = RecordOutlets.single(buffer);
        CommitAhead[] self = new CommitAhead[1];
        RecordOutlets pulled = new RecordOutlets() {
            private boolean isFull = true;

            @Override
            public int ready() {
                if (!isFull) {
                    return 0;
                }
                isFull = false;
                self[0].taken();
                return AHEAD;
            }

            @Override
            public int records() {
                return single.records();
            }

            @Override
            public void open(AssignedPartition partition) {}

            @Override
            public void withdrawn(Collection<AssignedPartition> partitions) {}

            @Override
            public void end() {}
        };
        self[0] = new CommitAhead(commits, pulled, AHEAD, pauses::isPaused, signals, clock);
        self[0].add(a, Batch.of(new Object[1], 1, a.tracker(), new long[1]), 1);
        List<Boolean> woken = new ArrayList<>();
        clock.whileParked = () -> woken.add(signals.isCallbackSignalled());
        self[0].commitDue(List.of());
        assertThat(woken).containsExactly(true);
    }

    @Test
    void pause_thatEndsJustAfterTheOwnerHasLooked_wakesIt() {
        CommitAhead[] self = new CommitAhead[1];
        self[0] = new CommitAhead(
                commits,
                RecordOutlets.single(buffer),
                AHEAD,
                id -> {
                    self[0].pausesChanged();
                    return true;
                },
                signals,
                clock);
        fetch(b, 0, AHEAD);
        ahead.commitDue(List.of());
        signals.clearCallbackSignal();
        self[0].add(a, Batch.of(new Object[1], 1, a.tracker(), new long[1]), 1);
        self[0].commitDue(List.of());
        assertThat(signals.isCallbackSignalled()).isTrue();
    }

    @Test
    void end_thatIsCommitted_wakesTheOwner() {
        ahead.readTo(a, 3);
        signals.clearCallbackSignal();
        ahead.commitDue(List.of());
        assertThat(committed(a)).isEqualTo(3);
        assertThat(signals.isCallbackSignalled()).isTrue();
    }

    @Test
    void records_thatAreDropped_areNotCommittedLater() {
        fetch(a, 0, 5);
        fetch(a, 5, 5);
        fetch(a, 10, 5);
        ahead.commitDue(List.of());
        ahead.drop(Set.of(a));
        assertThat(a.firstDropped()).isEqualTo(10);
        assertThat(b.firstDropped()).isEqualTo(Long.MAX_VALUE);
        ahead.commitDue(List.of());
        ahead.commitNow(List.of(a), 1);
        assertThat(committed(a)).isEqualTo(10);
    }

    @Test
    void batch_isNoLargerThanACommit() {
        assertThat(ahead.batchSize()).isEqualTo(AHEAD);
        assertThat(new CommitAhead(commits, RecordOutlets.single(buffer), 1 << 20, pauses::isPaused, signals, clock)
                        .batchSize())
                .isEqualTo(Batch.DEFAULT_CAPACITY);
    }

    @Test
    void batchThatIsTaken_wakesTheOwner_onlyIfMoreWaitsAndFits() {
        fetch(a, 0, 6);
        fetch(a, 6, 6);
        ahead.commitDue(List.of());
        signals.clearCallbackSignal();
        ahead.taken();
        assertThat(signals.isCallbackSignalled()).isFalse();
        assertThat(take()).isEqualTo("0@0");
        ahead.taken();
        assertThat(signals.isCallbackSignalled()).isTrue();
        ahead.commitDue(List.of());
        assertThat(take()).isEqualTo("0@6");
        signals.clearCallbackSignal();
        ahead.taken();
        assertThat(signals.isCallbackSignalled()).isFalse();
    }

    @Test
    void pauseThatChanges_wakesTheOwner_onlyIfRecordsWaitForIt() {
        ahead.pausesChanged();
        assertThat(signals.isCallbackSignalled()).isFalse();
        pauses.pause(List.of(a.id()));
        fetch(a, 0, 5);
        ahead.commitDue(List.of());
        signals.clearCallbackSignal();
        ahead.pausesChanged();
        assertThat(signals.isCallbackSignalled()).isTrue();
    }

    @Test
    void pause_thatMayChangeWhatIsCommitted_isToBeTold() {
        assertThat(ahead.wantsLook()).isFalse();
        pauses.pause(List.of(a.id()));
        fetch(a, 0, 5);
        ahead.commitDue(List.of());
        assertThat(ahead.wantsLook())
                .as("something waits for the end of the pause")
                .isTrue();
        pauses.resumeAll();
        ahead.commitDue(List.of());
        assertThat(ahead.wantsLook()).isFalse();
    }

    private static final class Answering extends MockConsumer<byte[], byte[]> {

        final Map<TopicPartition, Long> offsets = new HashMap<>();

        @Nullable
        RuntimeException failure;

        Duration timeout = Duration.ZERO;

        Answering() {
            super("earliest");
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public void commitSync(Map<TopicPartition, OffsetAndMetadata> committed, Duration within) {
            timeout = within;
            if (failure != null) {
                throw failure;
            }
            committed.forEach((id, offset) -> offsets.put(id, offset.offset()));
        }
    }
}
