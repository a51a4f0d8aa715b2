package dev.weir.kafka.internal.in.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.DeliveryCommits;
import dev.weir.kafka.internal.in.commit.ManualClock;
import dev.weir.kafka.internal.in.commit.MemberCommit;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.commit.QueuedOwner;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartPositionsTest {

    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);
    private static final TopicPartition C = new TopicPartition("t", 2);

    private static final Uuid FIRST = new Uuid(1, 1);
    private static final Uuid SECOND = new Uuid(1, 2);

    private static final Delivery TRACKED = new Delivery.Committable();
    private static final Delivery UNCOMMITTED = new Delivery.Plain(true);

    private final ManualClock clock = new ManualClock();
    private final GroupClient client = new GroupClient(clock);
    private final ClientFetcher fetcher = new ClientFetcher(client);
    private final QueuedOwner owner = new QueuedOwner();
    private final TopicLookup lookup = new TopicLookup();
    private PartitionAssignment assignment;
    private StartPositions positions;

    StartPositionsTest() {
        client.assign(Set.of(A, B, C));
        lookup.ids.put("t", FIRST);
        for (TopicPartition id : List.of(A, B, C)) {
            lookup.logs.put(id, new TopicLookup.Log(10, 50));
        }
        assignment = owner.assignment(fetcher, settings(each -> each), clock);
        positions = begin(Subscription.topics("t"), TRACKED, each -> each);
    }

    private static ConsumerSettings<byte[], byte[]> settings(
            UnaryOperator<ConsumerSettings.Builder<byte[], byte[]>> change) {
        return change.apply(ConsumerSettings.builder().bootstrapServers("h:1").groupId("g"))
                .build();
    }

    private StartPositions begin(
            Subscription subscription,
            Delivery delivery,
            UnaryOperator<ConsumerSettings.Builder<byte[], byte[]>> change) {
        ConsumerSettings<byte[], byte[]> settings = settings(change);
        ConsumerPlan plan = new ConsumerPlan(subscription, Map.of(), delivery, null, Set.of());
        assignment = owner.assignment(fetcher, settings, clock, plan);
        OffsetCommits commits = new OffsetCommits(client, fetcher, settings, lookup, clock, MemberCommit.NONE);
        DeliveryCommits deliveryCommits = DeliveryCommits.of(delivery, commits, null, records -> {
            throw new AssertionError("not at most once");
        });
        positions = new StartPositions(assignment, plan, settings, commits, lookup, clock, owner, deliveryCommits);
        positions.begin();
        owner.run();
        return positions;
    }

    private StartPositions begin(OutOfRangePolicy policy) {
        return begin(Subscription.topics("t"), UNCOMMITTED, each -> each.outOfRange(policy));
    }

    private AssignedPartition get(TopicPartition id) {
        return Objects.requireNonNull(assignment.get(id));
    }

    private void assign(TopicPartition... ids) {
        assignment.add(List.of(ids), 0);
        positions.assigned(assignment.current(List.of(ids)));
    }

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

    /** Starts the partition at the offset, which the group has committed. */
    private AssignedPartition openAt(TopicPartition id, long offset) {
        client.commits.put(id, new OffsetAndMetadata(offset));
        assign(id);
        settle();
        assertThat(get(id).isHeld()).isFalse();
        assertThat(fetcher.position(id)).isEqualTo(offset);
        return get(id);
    }

    private void outOfRange(TopicPartition id, long offset) {
        positions.unknown(new org.apache.kafka.clients.consumer.OffsetOutOfRangeException(Map.of(id, offset)));
    }

    private static void hasStarted(AssignedPartition partition) {
        assertThat(partition.isHeld()).isFalse();
        assertThat(partition.isPlaced()).isTrue();
    }

    @Test
    void committedOffset_isOpened_onceTheTopicIsIdentified() {
        client.commits.put(A, new OffsetAndMetadata(17, Optional.of(4), ""));
        assign(A);
        assertThat(get(A).isHeld()).isTrue();
        assertThat(positions.nanosUntilDue()).isZero();
        positions.askIfDue();
        assertThat(get(A).isOpening()).isTrue();
        owner.run();
        assertThat(get(A).isHeld()).isFalse();
        assertThat(get(A).isPlaced()).isFalse();
        assertThat(fetcher.position(A)).isEqualTo(17);
        assertThat(fetcher.leaderEpoch(A)).isEqualTo(4);
        assertThat(client.timeouts).containsExactly(Duration.ofMillis(500));
    }

    @Test
    void recordsFinishedPastTheCommit_areSkipped() {
        FinishedSet.Builder finished = new FinishedSet.Builder();
        finished.add(19, 23);
        String text = CommitText.encode(17, finished.build(), "", 4_096);
        client.commits.put(A, new OffsetAndMetadata(17, text));
        assign(A);
        settle();
        assertThat(get(A).finishedEarlier().contains(19, 23)).isTrue();
        assertThat(get(A).finishedEarlier().contains(17)).isFalse();
    }

    /** While a coordinator loads its log, it may report no commit. */
    @Test
    void missingCommit_isBelieved_onlyOnceItIsReportedTwice() {
        client.commits.put(B, new OffsetAndMetadata(20));
        client.forgetful = 1;
        assign(A, B);
        settle();
        assertThat(fetcher.position(B)).isEqualTo(20);
        assertThat(get(B).isPlaced()).isFalse();
        assertThat(fetcher.position(A)).as("auto.offset.reset=earliest").isEqualTo(10);
        hasStarted(get(A));
        assertThat(client.timeouts).hasSize(2);
        assertThat(lookup.commitQueries)
                .as("the beginning needs no number of partitions")
                .isZero();
    }

    private OffsetAndMetadata commitOf(TopicPartition id) {
        return Objects.requireNonNull(client.committed(Set.of(id)).get(id));
    }

    /** A late response without a commit may stand for an error of the coordinator. */
    @Test
    void lateResponse_withoutACommit_isIgnored_andTheNextOneGetsMoreTime() {
        client.slowness = Duration.ofMillis(251);
        assign(A);
        ask();
        for (int i = 0; i < 6; i++) {
            client.slowness = client.timeouts.getLast().plusMillis(1);
            assertThat(positions.nanosUntilDue())
                    .isEqualTo(Duration.ofMillis(250).toNanos());
            pass(Duration.ofMillis(249));
            ask();
            pass(Duration.ofMillis(1));
            ask();
        }
        assertThat(client.timeouts.stream().map(Duration::toMillis))
                .containsExactly(500L, 1_000L, 2_000L, 4_000L, 8_000L, 8_000L, 8_000L);
        assertThat(get(A).isHeld()).isTrue();
        client.commits.put(A, new OffsetAndMetadata(30));
        pass(Duration.ofMillis(250));
        ask();
        assertThat(fetcher.position(A)).as("a late commit is one").isEqualTo(30);
        client.slowness = Duration.ofMillis(250);
        assign(B);
        settle();
        hasStarted(get(B));
        assertThat(client.timeouts.get(8)).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void failedQuery_isRepeated() {
        client.failure = new TimeoutException("too slow");
        client.commits.put(A, new OffsetAndMetadata(17));
        assign(A);
        ask();
        assertThat(positions.nanosUntilDue()).isEqualTo(Duration.ofMillis(250).toNanos());
        assign(B);
        assertThat(positions.nanosUntilDue()).isZero();
        ask();
        client.failure = null;
        ask();
        assertThat(client.asked).containsExactly(Set.of(A), Set.of(A, B));
        pass(Duration.ofMillis(250));
        ask();
        assertThat(fetcher.position(A)).isEqualTo(17);
    }

    @Test
    void permanentFailure_endsTheRun() {
        assign(A);
        for (KafkaException failure : List.of(
                new GroupAuthorizationException("g"),
                new SaslAuthenticationException("password"),
                new FencedInstanceIdException("another member"))) {
            client.failure = failure;
            assertThatThrownBy(positions::askIfDue).isSameAs(failure);
        }
    }

    @Test
    void revokedPartition_isNotAskedFor() {
        assign(A, B);
        assignment.withdraw(Set.of(A));
        ask();
        assertThat(client.asked).containsExactly(Set.of(B));
        assignment.withdraw(Set.of(B));
        pass(Duration.ofSeconds(1));
        ask();
        assertThat(client.asked).hasSize(1);
    }

    @Test
    void partitionRevokedBeforeItsTopicIsIdentified_isNotOpened() {
        client.commits.put(A, new OffsetAndMetadata(17));
        assign(A);
        positions.askIfDue();
        assignment.withdraw(Set.of(A));
        owner.run();
        settle();
        assertThat(fetcher.position(A)).isNotEqualTo(17);
    }

    @Test
    void committedOffsetOfAnEarlierTopic_failsTheRun_ifThePolicySaysSo() {
        client.commits.put(A, new OffsetAndMetadata(17, CommitText.withTopicId("", SECOND, 17, 4_096)));
        assign(A);
        RecreatedTopicException failure = catchThrowableOfType(RecreatedTopicException.class, this::settle);
        assertThat(failure.offset()).isEqualTo(17);
    }

    @Test
    void missingCommit_ofAKnownTopic_startsAtTheBeginning_withoutACheck() {
        openAt(A, 17);
        pass(Duration.ofMillis(2));
        ask();
        int queries = lookup.idQueries.size();
        assign(B);
        for (int i = 0; i < 4; i++) {
            ask();
        }
        hasStarted(get(B));
        assertThat(lookup.idQueries).hasSize(queries);
    }

    /** The topic may have been recreated together with its commits, so the end may be past unread records. */
    @Test
    void missingCommit_ofAKnownTopic_startsAtTheEnd_onceTwoResponsesAgree() {
        begin(Subscription.topics("t").startingAt(Position.end()), UNCOMMITTED, each -> each);
        openAt(A, 17);
        int queries = lookup.idQueries.size();
        assign(B);
        for (int i = 0; i < 20 && get(B).isHeld(); i++) {
            ask();
            pass(Duration.ofMillis(50));
        }
        assertThat(lookup.idQueries).hasSize(queries + 2);
        assertThat(fetcher.position(B)).isEqualTo(50);
    }

    @Test
    void start_isCommittedBeforeItIsRead_andWithoutADelay() {
        begin(Subscription.topics("t").startingAt(Position.end()), TRACKED, each -> each);
        assign(A);
        for (int i = 0; i < 20 && get(A).isHeld(); i++) {
            pass(Duration.ofNanos(positions.nanosUntilDue()));
            ask();
        }
        assertThat(commitOf(A).offset()).isEqualTo(50);
        assertThat(fetcher.position(A)).isEqualTo(50);
        assertThat(clock.nanos).isZero();
    }

    /** The client had no position when it polled. */
    @Test
    void partitionWithoutAPosition_startsAgain_unlessItWasMovedMeanwhile() {
        begin(Subscription.topics("t").startingAt(Position.end()), UNCOMMITTED, each -> each);
        openAt(A, 17);
        openAt(B, 18);
        openAt(C, 19);
        place(Map.of(get(B), Position.offset(33)));
        settle();
        place(Map.of(get(C), Position.offset(30)));
        positions.unknown(new NoOffsetForPartitionException(Set.of(A, B, C)));
        assertThat(get(A).isHeld()).isTrue();
        assertThat(get(B).isHeld()).isFalse();
        settle();
        assertThat(fetcher.position(A)).isEqualTo(50);
        assertThat(fetcher.position(B)).isEqualTo(33);
        assertThat(fetcher.position(C)).isEqualTo(30);
        assertThat(placed).containsExactly(true, true);
    }

    @Test
    void noReset_failsTheRun() {
        begin(Subscription.topics("t"), TRACKED, each -> each.property("auto.offset.reset", "none"));
        assign(A);
        assertThatThrownBy(this::settle)
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("none");
    }

    @Test
    void partitionAddedDuringTheRun_isReadFromItsBeginning() {
        lookup.logs.remove(C);
        lookup.failures.put("u", new UnknownTopicOrPartitionException("u"));
        begin(Subscription.topics("t").startingAt(Position.end()), UNCOMMITTED, each -> each);
        lookup.logs.put(C, new TopicLookup.Log(0, 8));
        assign(A, B, C);
        settle();
        assertThat(fetcher.position(A)).isEqualTo(50);
        assertThat(fetcher.position(B)).isEqualTo(50);
        assertThat(fetcher.position(C)).isZero();
        assertThat(lookup.partitionQueries).isEqualTo(2); // the first source of the test, too
        assertThat(lookup.commitQueries).isZero();
    }

    /** The group's commits contain the number of partitions at its first start. */
    @Test
    void partitionAddedBeforeTheRun_isReadFromItsBeginning() {
        begin(Subscription.topics("t").startingAt(Position.end()), TRACKED, each -> each);
        for (int i = 0; i < 12; i++) {
            String text = CommitText.withStartSize("", i == 5 ? 1 : 2, 4_096);
            lookup.commits.put(new TopicPartition("t", i), new OffsetAndMetadata(5, text));
        }
        lookup.commits.put(new TopicPartition("u", 0), new OffsetAndMetadata(5, CommitText.withStartSize("", 0, 99)));
        assign(A, B, C);
        settle();
        assertThat(fetcher.position(A)).isEqualTo(50);
        assertThat(fetcher.position(B)).isEqualTo(10);
        assertThat(fetcher.position(C)).isEqualTo(10);
        assertThat(CommitText.startSize(commitOf(C).metadata())).isEqualTo(1);
        assertThat(lookup.commitQueries).isEqualTo(1);
        assignment.withdraw(Set.of(A));
        client.commits.clear();
        assign(A);
        settle();
        assertThat(lookup.commitQueries).as("the number is known").isEqualTo(1);
        assertThat(fetcher.position(A)).isEqualTo(50);
    }

    /** Another kind of consumer began to read the topic, so the partition is newer than the group's first commit. */
    @ParameterizedTest
    @CsvSource({"4096, 10", "0, 50"})
    void partitionOfATopicWithOtherCommits_isReadFromItsBeginning_ifMetadataWouldShowTheOpposite(
            int chars, long expected) {
        begin(Subscription.topics("t").startingAt(Position.end()), TRACKED, each -> each.commitMetadataChars(chars));
        lookup.commits.put(B, new OffsetAndMetadata(5));
        assign(A);
        settle();
        assertThat(fetcher.position(A)).isEqualTo(expected);
    }

    @Test
    void groupWhoseCommitsCannotBeRead_failsTheRun() {
        begin(Subscription.topics("t").startingAt(Position.end()), TRACKED, each -> each);
        assign(A);
        ask();
        lookup.failure = new InvalidRequestException("no");
        assertThatThrownBy(this::settle)
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("group g");
    }

    @Test
    void givenPartition_startsWhereTheSubscriptionSays_withoutAQueryOfTheGroup() {
        begin(Subscription.partitions(A, B).startingAt(B, Position.offset(33)), UNCOMMITTED, each -> each);
        client.commits.put(A, new OffsetAndMetadata(21));
        client.commits.put(B, new OffsetAndMetadata(22));
        assign(A, B);
        settle();
        assertThat(fetcher.position(A)).isEqualTo(21);
        assertThat(fetcher.position(B)).isEqualTo(33);
        assertThat(client.asked).containsExactly(Set.of(A));
        assertThat(get(A).isPlaced()).isFalse();
        hasStarted(get(B));
    }

    @Test
    void partitionThatIsPlacedBeforeItsStart_staysThere() {
        assignment.add(List.of(A), 0);
        assignment.placeNew(A, 41);
        positions.assigned(List.of(get(A)));
        settle();
        assertThat(fetcher.position(A)).isEqualTo(41);
        assertThat(get(A).topicId()).isEqualTo(FIRST);
        assertThat(client.asked).isEmpty();
    }

    /** Brokers delete commits together with the topic. */
    @Test
    void missingCommit_ofATopicThatIsRecreated_startsAtTheBeginning() {
        begin(
                Subscription.topics("t").startingAt(Position.end()),
                UNCOMMITTED,
                each -> each.outOfRange(OutOfRangePolicy.NEAREST));
        openAt(A, 17);
        lookup.ids.put("t", SECOND);
        lookup.logs.put(A, new TopicLookup.Log(0, 3));
        lookup.logs.put(B, new TopicLookup.Log(0, 3));
        client.commits.clear();
        assign(B);
        settle();
        assertThat(fetcher.position(B)).isZero();
        assertThat(fetcher.position(A)).isZero();
        assign(C);
        settle();
        assertThat(fetcher.position(C)).as("a partition of a recreated topic").isEqualTo(10);
    }

    private final List<Boolean> placed = new ArrayList<>();

    private void place(Map<AssignedPartition, Position> at) {
        positions.place(at, placed::add);
    }

    @Test
    void places_areReported_onceAllAreReached() {
        openAt(A, 17);
        openAt(B, 18);
        place(Map.of());
        assertThat(placed).containsExactly(true);
        place(Map.of(get(A), Position.offset(30), get(B), Position.end()));
        assertThat(placed).hasSize(1);
        assertThat(get(A).isHeld()).isTrue();
        settle();
        assertThat(placed).containsExactly(true, true);
        assertThat(fetcher.position(A)).isEqualTo(30);
        assertThat(fetcher.position(B)).isEqualTo(50);
        hasStarted(get(A));
    }

    @Test
    void place_ofARevokedPartition_isNotReached() {
        openAt(A, 17);
        openAt(B, 18);
        place(Map.of(get(A), Position.offset(30), get(B), Position.end()));
        assignment.withdraw(Set.of(A));
        settle();
        assertThat(placed).containsExactly(false);
        assertThat(fetcher.position(B)).isEqualTo(50);
    }

    @Test
    void place_ofAPartitionThatIsRevokedDuringTheQuery_isNotReached() {
        openAt(A, 17);
        place(Map.of(get(A), Position.offset(30)));
        assignment.withdraw(Set.of(A));
        owner.run();
        assertThat(placed).containsExactly(false);
        assertThat(client.sought).doesNotContain("t-0@30 epoch none");
    }

    @Test
    void responseToAReplacedPlace_isIgnored() {
        openAt(A, 17);
        place(Map.of(get(A), Position.end()));
        lookup.failure = new TimeoutException("too slow");
        place(Map.of(get(A), Position.offset(30)));
        owner.run();
        assertThat(get(A).isHeld()).isTrue();
        lookup.failure = null;
        settle();
        assertThat(fetcher.position(A)).isEqualTo(30);
    }

    /** The id of the topic tells whether an offset is one of a recreated topic. */
    @Test
    void place_isAskedFor_onceTheTopicIsIdentified() {
        lookup.ids.clear();
        begin(Subscription.partitions(A).startingAt(A, Position.offset(33)), UNCOMMITTED, each -> each);
        assign(A);
        ask();
        ask();
        assertThat(lookup.offsetQueries).isEmpty();
        assertThat(positions.trouble(get(A))).isEqualTo("topic t does not exist");
        assertThat(positions.nanosUntilDue()).isEqualTo(Duration.ofMillis(100).toNanos());
        lookup.ids.put("t", FIRST);
        pass(Duration.ofMillis(100));
        ask();
        assertThat(positions.nanosUntilDue()).isZero();
        ask();
        assertThat(fetcher.position(A)).isEqualTo(33);
    }

    @Test
    void place_thatIsReplaced_isNotReached() {
        openAt(A, 17);
        place(Map.of(get(A), Position.end()));
        place(Map.of(get(A), Position.offset(30)));
        assertThat(placed).containsExactly(false);
        settle();
        assertThat(placed).containsExactly(false, true);
        assertThat(fetcher.position(A)).isEqualTo(30);
    }

    @Test
    void unansweredPlace_isAskedForAgain_withMoreTime() {
        openAt(A, 17);
        pass(Duration.ofMillis(2));
        ask();
        int before = lookup.timeouts.size();
        lookup.failure = new TimeoutException("too slow");
        place(Map.of(get(A), Position.end()));
        assertThat(positions.trouble(get(A))).isNull();
        assertThat(positions.nanosUntilDue()).isPositive();
        positions.askIfDue();
        assertThat(lookup.timeouts).hasSize(before + 1);
        owner.run();
        assertThat(positions.trouble(get(A))).isEqualTo("too slow");
        for (long delay : new long[] {100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000}) {
            int queries = lookup.timeouts.size();
            assertThat(positions.nanosUntilDue())
                    .isBetween(1L, Duration.ofMillis(delay).toNanos());
            pass(Duration.ofMillis(delay - 1));
            ask();
            assertThat(lookup.timeouts).hasSize(queries);
            pass(Duration.ofMillis(1));
            ask();
            assertThat(lookup.timeouts).hasSize(queries + 1);
        }
        assertThat(lookup.timeouts.subList(before, lookup.timeouts.size()).stream()
                        .map(Duration::toSeconds))
                .containsExactly(3L, 6L, 12L, 24L, 48L, 60L, 60L, 60L, 60L);
        lookup.failure = null;
        pass(Duration.ofSeconds(5));
        ask();
        assertThat(placed).containsExactly(true);
        assertThat(positions.trouble(get(A))).isNull();
    }

    @Test
    void refusedPlace_failsTheRun() {
        openAt(A, 17);
        lookup.failure = new InvalidRequestException("no such time");
        place(Map.of(get(A), Position.end()));
        assertThatThrownBy(owner::run)
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("t-0")
                .hasMessageContaining("no such time");
    }

    @Test
    void partitions_areNamed_upToTen() {
        List<TopicPartition> ids = IntStream.range(0, 12)
                .mapToObj(partition -> new TopicPartition("t", partition))
                .toList();
        assertThat(OffsetQueries.names(ids.subList(0, 10)))
                .startsWith("t-0, t-1")
                .endsWith("t-9");
        assertThat(OffsetQueries.names(ids)).endsWith("t-9 and 2 more");
    }

    @ParameterizedTest
    @CsvSource({
        "EARLIEST, 5, 10",
        "EARLIEST, 90, 10",
        "LATEST, 5, 50",
        "LATEST, 90, 50",
        "NEAREST, 5, 10",
        "NEAREST, 90, 50",
        "NEAREST, 10, 10"
    })
    void positionOutOfRange_continuesAsThePolicySays(OutOfRangePolicy policy, long wanted, long expected) {
        begin(policy);
        AssignedPartition before = openAt(A, wanted);
        int queries = lookup.idQueries.size();
        outOfRange(A, wanted);
        assertThat(get(A)).isNotSameAs(before);
        assertThat(get(A).isHeld()).isTrue();
        settle();
        assertThat(lookup.idQueries)
                .as("asked whether the topic was recreated")
                .hasSizeGreaterThanOrEqualTo(queries + 2);
        assertThat(fetcher.position(A)).isEqualTo(expected);
        hasStarted(get(A));
        if (expected > wanted) {
            assertThat(assignment.dropped().skipped()).singleElement().satisfies(range -> {
                assertThat(range.from()).isEqualTo(wanted);
                assertThat(range.to()).isEqualTo(expected);
                assertThat(range.reason()).isEqualTo("out-of-range");
            });
        } else {
            assertThat(assignment.dropped().skipped()).isEmpty();
        }
    }

    /** The records dropped before the position are not read either. */
    @Test
    void positionOutOfRange_alsoSkipsRecordsDroppedBeforeIt() {
        begin(OutOfRangePolicy.LATEST);
        openAt(A, 30).dropped(25);
        outOfRange(A, 30);
        settle();
        assertThat(assignment.dropped().skipped()).singleElement().satisfies(range -> {
            assertThat(range.from()).isEqualTo(25);
            assertThat(range.to()).isEqualTo(50);
        });
    }

    @ParameterizedTest
    @CsvSource({"NEAREST, 20, 20", "NEAREST, 0, 10", "NEAREST, 70, 50", "EARLIEST, 20, 10", "LATEST, 20, 50"})
    void truncatedLog_continuesWhereItDiffers_ifThePolicyIsNearest(
            OutOfRangePolicy policy, long divergent, long expected) {
        begin(policy);
        openAt(A, 80);
        positions.unknown(
                new LogTruncationException("cut", Map.of(A, 80L), Map.of(A, new OffsetAndMetadata(divergent))));
        settle();
        assertThat(fetcher.position(A)).isEqualTo(expected);
    }

    @Test
    void positionOutOfRange_failsTheRun_ifThePolicySaysSo() {
        client.commits.put(A, new OffsetAndMetadata(80, Optional.of(4), ""));
        assign(A);
        settle();
        positions.truncated(get(A), 80, 20);
        OffsetOutOfRangeException failure = catchThrowableOfType(OffsetOutOfRangeException.class, this::settle);
        assertThat(failure.offset()).isEqualTo(80);
        assertThat(failure).hasMessageContaining("t-0@80 (leader epoch 4)").hasMessageContaining("from offset 20 on");
        positions = begin(Subscription.topics("t"), TRACKED, each -> each);
        assign(A);
        settle();
        positions.truncated(get(A), 80, -1);
        assertThatThrownBy(this::settle)
                .isInstanceOf(OffsetOutOfRangeException.class)
                .hasMessageContaining("has lost its end");
    }

    @Test
    void partitionThatWasMovedAfterTheFailure_isCheckedAtItsNewPosition() {
        begin(OutOfRangePolicy.EARLIEST);
        AssignedPartition before = openAt(A, 17);
        assignment.goOn(before, new LogPosition(30, 2));
        outOfRange(A, 17);
        settle();
        assertThat(get(A)).isSameAs(before);
        assertThat(fetcher.position(A)).isEqualTo(30);
        assertThat(client.sought).endsWith("t-0@30 epoch 2", "t-0@30 epoch 2");
    }

    @ParameterizedTest
    @CsvSource({"EARLIEST, 2, false", "NEAREST, 2, false", "LATEST, 6, true"})
    void recreatedTopic_continuesAsThePolicySays(OutOfRangePolicy policy, long expected, boolean skips) {
        begin(policy);
        openAt(A, 17).tracker().append(17, 1);
        lookup.ids.put("t", SECOND);
        lookup.logs.put(A, new TopicLookup.Log(2, 6));
        outOfRange(A, 17);
        settle();
        assertThat(fetcher.position(A)).isEqualTo(expected);
        hasStarted(get(A));
        assertThat(get(A).topicId()).isEqualTo(SECOND);
        assertThat(assignment.dropped().dropped(true).getFirst().reason()).isEqualTo("recreated");
        assertThat(assignment.dropped().skipped()).hasSize(skips ? 1 : 0);
        if (skips) {
            assertThat(assignment.dropped().skipped().getFirst().reason()).isEqualTo("recreated");
            assertThat(assignment.dropped().skipped().getFirst().from()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void recreatedTopic_failsTheRun_ifThePolicySaysSo(boolean isOutOfRange) {
        openAt(A, 17);
        lookup.ids.put("t", SECOND);
        pass(Duration.ofSeconds(6));
        owner.phase = ConsumerPhase.DRAINING;
        settle();
        owner.phase = ConsumerPhase.RUNNING;
        if (isOutOfRange) {
            outOfRange(A, 17);
        }
        RecreatedTopicException failure = catchThrowableOfType(RecreatedTopicException.class, this::settle);
        assertThat(failure.offset()).isEqualTo(17);
        assertThat(failure).hasMessageContaining(FIRST.toString()).hasMessageContaining(SECOND.toString());
    }

    /** The end of the read was one of the deleted topic. */
    @Test
    void recreatedTopic_failsABoundedRead_unlessItWasRecreatedBeforeTheRun() {
        Subscription bounded = Subscription.topics("t").untilEnd();
        begin(bounded, UNCOMMITTED, each -> each.outOfRange(OutOfRangePolicy.EARLIEST));
        client.commits.put(A, new OffsetAndMetadata(17, CommitText.withTopicId("", SECOND, 17, 4_096)));
        assign(A);
        settle();
        assertThat(fetcher.position(A)).isEqualTo(10);
        lookup.ids.put("t", SECOND);
        pass(Duration.ofSeconds(6));
        assertThatThrownBy(this::settle)
                .isInstanceOf(RecreatedTopicException.class)
                .hasMessageContaining("read again");
    }

    @ParameterizedTest
    @CsvSource({"EARLIEST, 10", "LATEST, 50"})
    void recordOfAnotherLog_continuesAsThePolicySays_onceTheTopicIsChecked(OutOfRangePolicy policy, long expected) {
        begin(policy);
        openAt(A, 17);
        positions.ofAnotherLog(get(A), GroupClient.fetched(20, 3));
        assertThat(get(A).isHeld()).isTrue();
        int queries = lookup.offsetQueries.size();
        ask();
        ask();
        assertThat(lookup.offsetQueries).as("after one response").hasSize(queries);
        settle();
        assertThat(fetcher.position(A)).isEqualTo(expected);
    }

    @Test
    void recordOfAnotherLog_failsTheRun_ifThePolicySaysSo() {
        openAt(A, 17);
        positions.ofAnotherLog(get(A), GroupClient.fetched(20, 3));
        assertThatThrownBy(this::settle)
                .isInstanceOf(RecreatedTopicException.class)
                .hasMessageContaining("its record at offset 20 has leader epoch 3");
    }
}
