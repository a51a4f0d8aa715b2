package dev.weir.kafka.internal.in.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.CommitGate;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.commit.DeliveryCommits;
import dev.weir.kafka.internal.in.commit.LoggedLines;
import dev.weir.kafka.internal.in.commit.ManualClock;
import dev.weir.kafka.internal.in.commit.MemberCommit;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.commit.QueuedOwner;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a bounded read of topics that exist. Their logs have the offsets 0 to 50. */
class BoundedReadEndTest {

    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MOMENT = Duration.ofNanos(1);

    private final ManualClock clock = new ManualClock();
    private final GroupClient client = new GroupClient(clock);
    private final ClientFetcher fetcher = new ClientFetcher(client);
    private final QueuedOwner owner = new QueuedOwner();
    private final TopicLookup lookup = new TopicLookup();
    private PartitionAssignment assignment;
    private StartPositions positions;
    private BoundedRead read;
    private final Gate gate = new Gate();

    BoundedReadEndTest() {
        client.assign(Set.of(A, B));
        clock.nanos = -5_000;
        lookup.ids.put("t", new Uuid(1, 1));
        lookup.logs.put(A, new TopicLookup.Log(0, 50));
        lookup.logs.put(B, new TopicLookup.Log(0, 50));
        ConsumerSettings<byte[], byte[]> settings = settings(OutOfRangePolicy.NEAREST);
        assignment = owner.assignment(fetcher, settings, clock);
        OffsetCommits commits = commits(settings);
        positions = positions(plan(Map.of()), settings, commits);
        read = begin(Map.of(A, 50L), null);
    }

    private static ConsumerSettings<byte[], byte[]> settings(OutOfRangePolicy policy) {
        return ConsumerSettings.builder()
                .bootstrapServers("h:1")
                .groupId("g")
                .outOfRange(policy)
                .build();
    }

    private static ConsumerPlan plan(Map<TopicPartition, Long> ends) {
        return new ConsumerPlan(Subscription.topics("t").untilEnd(), ends, new Delivery.Plain(true), null, Set.of());
    }

    private OffsetCommits commits(ConsumerSettings<?, ?> settings) {
        return new OffsetCommits(client, fetcher, settings, lookup, clock, MemberCommit.NONE);
    }

    private StartPositions positions(ConsumerPlan plan, ConsumerSettings<?, ?> settings, OffsetCommits commits) {
        DeliveryCommits delivery = DeliveryCommits.of(plan.delivery(), commits, null, records -> {
            throw new AssertionError("not at most once");
        });
        return new StartPositions(assignment, plan, settings, commits, lookup, clock, owner, delivery);
    }

    private BoundedRead begin(
            Map<TopicPartition, Long> ends, @Nullable CommitGate commitGate, TopicPartition... assigned) {
        ConsumerSettings<byte[], byte[]> settings = settings(OutOfRangePolicy.NEAREST);
        ConsumerPlan plan = plan(ends);
        assignment = owner.assignment(fetcher, settings, clock, plan);
        assignment.add(List.of(assigned), 0);
        OffsetCommits commits = commits(settings);
        positions = positions(plan, settings, commits);
        BatchEmission emission =
                new BatchEmission(plan, commitGate, RecordOutlets.single(new RecordBuffer(Clock.SYSTEM)), owner);
        read = new BoundedRead(plan, client, fetcher, lookup, clock, owner, assignment, emission, positions, commits);
        return read;
    }

    private AssignedPartition get(TopicPartition id) {
        return Objects.requireNonNull(assignment.get(id));
    }

    /** Processes the responses to all queries that are due. */
    private void ask() {
        positions.askIfDue();
        owner.run();
    }

    private void pass(Duration time) {
        clock.nanos += time.toNanos();
    }

    private void settle() {
        for (int i = 0; i < 20; i++) {
            ask();
            pass(Duration.ofMillis(250));
        }
    }

    private void commit(TopicPartition id, long offset) {
        client.commits.put(id, new OffsetAndMetadata(offset));
    }

    private boolean isAllReadAfterResponses() {
        boolean early = read.isAllRead();
        ask();
        boolean late = read.isAllRead();
        assertThat(early && !late).isFalse();
        return late;
    }

    // ---- A member without partitions -------------------------------------------------------------------------------

    @Test
    void memberWithoutPartitions_ends_onceTheGroupHasCommittedTheEnds() {
        begin(Map.of(A, 50L, B, 7L), null);
        commit(A, 50);
        assertThat(isAllReadAfterResponses()).isFalse();
        commit(B, 6);
        pass(SECOND);
        assertThat(isAllReadAfterResponses()).isFalse();
        commit(B, 7);
        pass(SECOND);
        assertThat(isAllReadAfterResponses()).as("as soon as the log is known").isTrue();
        assertThat(client.timeouts).containsOnly(SECOND);
        assertThat(client.asked).containsOnly(Set.of(A, B));
    }

    @Test
    void commitsAfterTheEnd_areEnough_ifTheLogHasThem() {
        begin(Map.of(A, 30L), null);
        commit(A, 50);
        assertThat(isAllReadAfterResponses()).isTrue();
        begin(Map.of(A, 30L), null);
        commit(A, 51);
        assertThat(isAllReadAfterResponses()).isFalse();
        pass(Duration.ofMinutes(1));
        assertThat(isAllReadAfterResponses()).as("not in the log").isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, true", "1, false", "-1, false"})
    void partitionWithoutACommit_isRead_onlyIfItIsEmpty(long end, boolean isRead) {
        begin(Map.of(A, end), null);
        assertThat(read.isAllRead()).isEqualTo(isRead);
    }

    @Test
    void commitsOfTheGroup_areQueriedEverySecond() {
        assertThat(read.isAllRead()).isFalse();
        assertThat(client.asked).hasSize(1);
        commit(A, 50);
        pass(SECOND.minus(MOMENT));
        assertThat(read.isAllRead()).isFalse();
        assertThat(client.asked).hasSize(1);
        pass(MOMENT);
        assertThat(read.isAllRead()).isFalse();
        assertThat(client.asked).hasSize(2);
    }

    @Test
    void failedQueryOfTheCommits_isRepeated_unlessItIsPermanent() {
        for (KafkaException passing : List.of(new TimeoutException("too slow"), new WakeupException())) {
            client.failure = passing;
            assertThat(LoggedLines.of(() -> assertThat(read.isAllRead()).isFalse()))
                    .isEmpty();
            pass(SECOND);
        }
        client.failure = new KafkaException("odd");
        List<String> lines = LoggedLines.of(() -> assertThat(read.isAllRead()).isFalse());
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).startsWith("WARN").contains("odd").doesNotContain("{}");
        assertThat(client.asked).hasSize(3);
        assertThat(read.isAllRead()).isFalse();
        assertThat(client.asked).as("a second later").hasSize(3);
        pass(SECOND);
        client.failure = new GroupAuthorizationException("not allowed");
        assertThatThrownBy(() -> read.isAllRead()).isSameAs(client.failure);
    }

    // ---- Assigned partitions ---------------------------------------------------------------------------------------

    /** Places the partition at an offset, and reads up to another one. */
    private AssignedPartition readFrom(TopicPartition id, long from, long to) {
        AssignedPartition partition = get(id);
        assignment.release(partition, LogPosition.at(from));
        fetcher.seek(id, LogPosition.at(to));
        return partition;
    }

    @Test
    void read_ends_onceAllPartitionsAreAtTheirEnds() {
        begin(Map.of(A, 5L, B, 6L), null, A, B);
        AssignedPartition a = readFrom(A, 2, 4);
        AssignedPartition b = readFrom(B, 2, 6);
        assertThat(isAllReadAfterResponses()).isFalse();
        assertThat(a.isPausedFor(PauseReason.END)).isFalse();
        assertThat(b.isPausedFor(PauseReason.END)).isTrue();
        assertThat(client.paused()).containsExactly(B);
        fetcher.seek(A, LogPosition.at(5));
        assertThat(isAllReadAfterResponses()).isTrue();
        assertThat(a.isPausedFor(PauseReason.END)).isTrue();
        assertThat(client.asked).as("no query of the group's commits").isEmpty();
    }

    @Test
    void heldPartition_isNotAtItsEnd() {
        begin(Map.of(A, 0L), null, A);
        assignment.hold(List.of(get(A)));
        assertThat(isAllReadAfterResponses()).isFalse();
        readFrom(A, 0, 0);
        assertThat(isAllReadAfterResponses()).as("the log is known").isFalse();
        assertThat(isAllReadAfterResponses()).as("the topic is known").isTrue();
    }

    @Test
    void read_isOver_withTheResponseThatNoTopicWasRecreated_orTenSecondsLater() {
        begin(Map.of(A, 5L), null, A);
        readFrom(A, 2, 5);
        lookup.failure = new TimeoutException("too slow");
        assertThat(isAllReadAfterResponses()).isFalse();
        pass(Duration.ofSeconds(10).minus(MOMENT));
        assertThat(read.isAllRead()).isFalse();
        pass(MOMENT);
        List<String> lines = LoggedLines.of(() -> assertThat(read.isAllRead()).isTrue());
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).startsWith("WARN").contains("t-0");
        pass(SECOND);
        assertThat(LoggedLines.of(() -> assertThat(read.isAllRead()).isTrue()))
                .as("while a transaction delays the end")
                .isEmpty();
    }

    /** The partition of a deleted topic never gets an answer. */
    @Test
    void read_isOver_withoutAResponseForDeletedPartitions() {
        begin(Map.of(A, 5L), null, A);
        readFrom(A, 2, 3);
        lookup.logs.clear();
        lookup.ids.clear();
        assertThat(read.isAllRead()).isFalse();
        int seconds = 0;
        while (seconds < 60 && !read.isAllRead()) {
            seconds++;
            pass(SECOND);
            ask();
        }
        assertThat(seconds).isBetween(10, 20);
    }

    @Test
    void partition_thatDoesNotAdvance_isCheckedForItsExistence() {
        begin(Map.of(A, 9L), null, A);
        readFrom(A, 2, 3);
        assertThat(read.isAllRead()).isFalse();
        pass(Duration.ofSeconds(5));
        fetcher.seek(A, LogPosition.at(4));
        assertThat(read.isAllRead()).isFalse();
        assertThat(lookup.partitionQueries).as("it has advanced").isZero();
        pass(Duration.ofSeconds(5).minus(MOMENT));
        assertThat(read.isAllRead()).isFalse();
        assertThat(lookup.partitionQueries).isZero();
        pass(MOMENT);
        assertThat(read.isAllRead()).isFalse();
        assertThat(lookup.partitionQueries).isEqualTo(1);
        assertThat(read.isAllRead()).isFalse();
        assertThat(lookup.partitionQueries).as("only once").isEqualTo(1);
    }

    @Test
    void endOfAPartition_isCommittedBehindItsRecords_beforeTheReadEnds() {
        begin(Map.of(A, 5L, B, 5L), gate, A, B);
        readFrom(A, 2, 6);
        AssignedPartition b = readFrom(B, 2, 9);
        b.dropped(5);
        gate.waits = true;
        assertThat(isAllReadAfterResponses()).isFalse();
        assertThat(gate.calls).containsExactlyInAnyOrder("t-0 to 6", "t-1 to 5");
        gate.waits = false;
        assertThat(isAllReadAfterResponses()).isTrue();
        assertThat(gate.calls).hasSize(2);
    }

    // ---- The start -------------------------------------------------------------------------------------------------

    @Test
    void read_thatStartsAtItsEnd_endsWhenTheLogIsKnownToHaveIt() {
        begin(Map.of(A, 50L), null, A);
        AssignedPartition a = readFrom(A, 50, 50);
        assertThat(read.isAllRead()).isFalse();
        assertThat(a.isPausedFor(PauseReason.END)).isFalse();
        ask();
        assertThat(isAllReadAfterResponses()).isTrue();
        assertThat(get(A)).isSameAs(a);
    }

    @Test
    void read_thatStartsBehindTheLog_appliesThePolicy() {
        begin(Map.of(A, 50L), null, A);
        AssignedPartition a = readFrom(A, 60, 60);
        assertThat(isAllReadAfterResponses()).isFalse();
        assertThat(assignment.isCurrent(a)).isFalse();
        assertThat(get(A).isHeld()).isTrue();
        settle();
        assertThat(fetcher.position(A)).as("the nearest offset").isEqualTo(50);
    }

    @Test
    void read_thatStartsBehindOtherRecords_appliesThePolicy() {
        begin(Map.of(A, 50L), null, A);
        AssignedPartition a = get(A);
        assignment.release(a, new LogPosition(50, 4));
        lookup.divergent.put(A, 30L);
        for (int i = 0; i < 3; i++) {
            assertThat(isAllReadAfterResponses()).isFalse();
        }
        assertThat(assignment.isCurrent(a)).isFalse();
        settle();
        assertThat(fetcher.position(A)).as("the first different record").isEqualTo(30);
    }

    // ---- Unknown ends ----------------------------------------------------------------------------------------------

    private long endQueries() {
        return lookup.offsetQueries.stream()
                .filter(query -> query.containsKey(A))
                .count();
    }

    @Test
    void unknownEnd_isQueriedUntilItIsKnown() {
        begin(Map.of(A, AssignedPartition.UNKNOWN), null, A);
        AssignedPartition a = get(A);
        readFrom(A, 2, 50);
        lookup.failure = new TimeoutException("too slow");
        assertThat(read.trouble(a)).isEqualTo("its end is not known");
        assertThat(read.isAllRead()).isFalse();
        assertThat(endQueries()).isEqualTo(1);
        pass(SECOND);
        assertThat(read.isAllRead()).isFalse();
        assertThat(endQueries()).as("its response is pending").isEqualTo(1);
        List<String> lines = LoggedLines.of(owner::run);
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).startsWith("WARN").contains("t-0", "too slow");
        assertThat(read.trouble(a)).startsWith("its end is not known: ").contains("too slow");

        pass(SECOND.minus(MOMENT));
        assertThat(read.isAllRead()).isFalse();
        assertThat(endQueries()).isEqualTo(1);
        pass(MOMENT);
        assertThat(read.isAllRead()).isFalse();
        assertThat(endQueries()).isEqualTo(2);
        assertThat(LoggedLines.of(owner::run)).as("the same reason").isEmpty();

        lookup.failure = null;
        pass(SECOND);
        assertThat(isAllReadAfterResponses()).isFalse();
        assertThat(a.endOffset()).isEqualTo(50);
        assertThat(read.trouble(a)).isNull();
        assertThat(lookup.timeouts).containsOnly(Duration.ofSeconds(5));
        assertThat(isAllReadAfterResponses()).isTrue();
        pass(SECOND);
        int before = lookup.offsetQueries.size();
        assertThat(read.isAllRead()).isTrue();
        assertThat(lookup.offsetQueries).hasSize(before);
    }

    // Regression: the check of the partition whose end is unknown prevented the check of the other one forever.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deletedTopics_areNotWaitedFor_evenIfOneHadNoKnownEnd(boolean isAssigned) {
        TopicPartition[] assigned = isAssigned ? new TopicPartition[] {A, B} : new TopicPartition[0];
        begin(Map.of(A, 5L, B, AssignedPartition.UNKNOWN), null, assigned);
        if (isAssigned) {
            readFrom(A, 2, 3);
        }
        lookup.logs.clear();
        List<Runnable> responses = new ArrayList<>();
        lookup.heldResponses = responses;
        int seconds = 0;
        while (seconds < 60 && !read.isAllRead()) {
            seconds++;
            ask();
            responses.forEach(Runnable::run);
            responses.clear();
            pass(SECOND);
        }
        assertThat(seconds).isBetween(10, 30);
    }

    /** One response that denies the partition is not enough, because the broker's metadata may be outdated. */
    @Test
    void partitionWithoutAnEnd_isCheckedForItsExistence_afterAFailedQuery() {
        begin(Map.of(A, AssignedPartition.UNKNOWN), null, A);
        lookup.failure = new TimeoutException("too slow");
        assertThat(isAllReadAfterResponses()).isFalse();
        assertThat(lookup.partitionQueries).isZero();
        pass(SECOND);
        assertThat(read.isAllRead()).isFalse();
        assertThat(lookup.partitionQueries).isEqualTo(1);
    }

    @Test
    void trouble_ofAStartPosition_isTheFailureOfItsQuery() {
        begin(Map.of(A, 50L), null, A);
        AssignedPartition a = readFrom(A, 50, 50);
        assertThat(read.trouble(a)).isNull();
        lookup.failure = new TimeoutException("too slow");
        assertThat(isAllReadAfterResponses()).isFalse();
        assertThat(read.trouble(a)).contains("offset 50", "too slow");
    }

    // ---- Partitions that came back ---------------------------------------------------------------------------------

    private List<String> unread(Set<TopicPartition> returned) {
        List<String> leftUndone = new ArrayList<>();
        read.addUnread(returned, leftUndone);
        return leftUndone;
    }

    @Test
    void returnedPartitions_areNamed_unlessTheirEndsAreCommitted() {
        begin(Map.of(A, 50L, B, 50L), null);
        assertThat(unread(Set.of())).isEmpty();
        assertThat(client.asked).isEmpty();
        commit(A, 50);
        commit(B, 49);
        List<String> one = unread(Set.of(A, B));
        assertThat(one).hasSize(1);
        assertThat(one.getFirst()).contains("left to the group: t-1").doesNotContain("t-0");
        assertThat(client.timeouts).containsOnly(SECOND);
        commit(B, 51);
        assertThat(unread(Set.of(A, B))).isEmpty();
        client.commits.clear();
        assertThat(unread(Set.of(A)).toString()).contains("t-0");
    }

    @Test
    void returnedPartitions_areNamed_ifTheCommitsAreUnknown() {
        commit(A, 50);
        client.failure = new TimeoutException("too slow");
        List<String> leftUndone = new ArrayList<>();
        List<String> lines = LoggedLines.of(() -> read.addUnread(Set.of(A), leftUndone));
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).startsWith("WARN").contains("too slow");
        assertThat(leftUndone).hasSize(1);
    }

    /** Notes the offsets that a commit must cover. */
    private static final class Gate implements CommitGate {

        final List<String> calls = new ArrayList<>();
        boolean waits;

        @Override
        public int batchSize() {
            return 10;
        }

        @Override
        public void add(AssignedPartition partition, Batch<Fetched> batch, long nextOffset) {
            throw new AssertionError("nothing is emitted");
        }

        @Override
        public void place(AssignedPartition partition, long offset) {}

        @Override
        public void readTo(AssignedPartition partition, long offset) {
            calls.add(partition + " to " + offset);
        }

        @Override
        public void drop(Collection<AssignedPartition> partitions) {}

        @Override
        public boolean isWaiting() {
            return waits;
        }
    }
}
