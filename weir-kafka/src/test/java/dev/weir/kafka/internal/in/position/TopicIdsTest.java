package dev.weir.kafka.internal.in.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.ManualClock;
import dev.weir.kafka.internal.in.commit.QueuedOwner;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class TopicIdsTest {

    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);
    private static final TopicPartition C = new TopicPartition("u", 0);

    private static final Uuid FIRST = new Uuid(1, 1);
    private static final Uuid SECOND = new Uuid(1, 2);
    private static final Uuid OTHER = new Uuid(2, 1);

    private static final Duration CONFIRM = Duration.ofMillis(250);

    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
    private final ManualClock clock = new ManualClock();
    private final QueuedOwner owner = new QueuedOwner();
    private final TopicLookup lookup = new TopicLookup();
    private final List<String> events = new ArrayList<>();
    private PartitionAssignment assignment = assignment(new ClientFetcher(client));
    private TopicIds topicIds = topicIds(() -> {});

    TopicIdsTest() {
        client.assign(Set.of(A, B, C));
        lookup.ids.put("t", FIRST);
        lookup.ids.put("u", OTHER);
    }

    private PartitionAssignment assignment(RecordFetcher fetcher) {
        return owner.assignment(
                fetcher,
                ConsumerSettings.builder().bootstrapServers("h:1").groupId("g").build(),
                clock);
    }

    private TopicIds topicIds(Runnable onRecreated) {
        return new TopicIds(
                assignment,
                lookup,
                clock,
                owner,
                (partition, now) -> {
                    events.add(partition + " is of another topic");
                    partition.identified(now);
                    onRecreated.run();
                },
                name -> events.add(name + " was recreated"));
    }

    private AssignedPartition add(TopicPartition id) {
        assignment.add(Set.of(id), 0);
        return Objects.requireNonNull(assignment.get(id));
    }

    private void identify(AssignedPartition partition) {
        topicIds.identify(partition, () -> events.add(partition + " is known"));
    }

    private void identifyAgain(AssignedPartition partition, int times) {
        topicIds.identifyAgain(partition, times, () -> events.add(partition + " is the same"));
    }

    private void ask() {
        topicIds.askIfDue();
        owner.run();
    }

    /** Sends the next query, which must be due after the given time and not before, and processes the response. */
    private void askAfter(Duration time) {
        assertThat(topicIds.nanosUntilDue()).isEqualTo(time.toNanos());
        int before = lookup.idQueries.size();
        if (!time.isZero()) {
            clock.nanos += time.toNanos() - 1;
            ask();
            assertThat(lookup.idQueries).hasSize(before);
            clock.nanos++;
        }
        ask();
        assertThat(lookup.idQueries).hasSize(before + 1);
    }

    private static Duration interval(int partitions) {
        return Duration.ofSeconds(5).plusMillis(partitions);
    }

    @Test
    void partition_isIdentified_byTheFirstResponse_andThenAtOnce() {
        AssignedPartition a = add(A);
        assertThat(topicIds.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        identify(a);
        assertThat(topicIds.isKnown("t")).isFalse();
        assertThat(events).isEmpty();
        askAfter(Duration.ZERO);
        assertThat(events).containsExactly("t-0 is known");
        assertThat(a.topicId()).isEqualTo(FIRST);
        assertThat(topicIds.isKnown("t")).isTrue();
        assertThat(topicIds.isKnown("u")).isFalse();
        assertThat(topicIds.wasRecreated("t")).isFalse();
        assertThat(topicIds.wasRecreated("u")).isFalse();

        AssignedPartition b = add(B);
        identify(b);
        assertThat(events).containsExactly("t-0 is known", "t-1 is known");
        assertThat(b.topicId()).isEqualTo(FIRST);
        assertThat(lookup.idQueries).hasSize(1);
    }

    /** The commit of a partition has the id of its topic. It may be the commit of a deleted topic. */
    @Test
    void partition_withAnotherId_isNotIdentifiedAtOnce() {
        identify(add(A));
        ask();
        AssignedPartition b = add(B);
        b.open(SECOND);
        identify(b);
        assertThat(events).containsExactly("t-0 is known");
        askAfter(Duration.ZERO);
        askAfter(CONFIRM);
        assertThat(events).containsExactly("t-0 is known", "t-1 is of another topic");
        assertThat(topicIds.nanosUntilDue()).isEqualTo(interval(2).toNanos());
    }

    @Test
    void partition_withTheSameId_isIdentifiedAtOnce() {
        identify(add(A));
        ask();
        AssignedPartition b = add(B);
        b.open(FIRST);
        identify(b);
        assertThat(events).containsExactly("t-0 is known", "t-1 is known");
    }

    @Test
    void query_isRepeated_atIntervals_ofAllTopicsThatAreDue() {
        AssignedPartition a = add(A);
        AssignedPartition c = add(C);
        identify(a);
        askAfter(Duration.ZERO);
        clock.nanos += Duration.ofSeconds(1).toNanos();
        identify(c);
        askAfter(Duration.ZERO);
        assertThat(lookup.idQueries).containsExactly(Set.of("t"), Set.of("u"));
        assertThat(c.topicId()).isEqualTo(OTHER);
        askAfter(interval(2).minusSeconds(1));
        clock.nanos += Duration.ofSeconds(60).toNanos();
        ask();
        assertThat(lookup.idQueries).endsWith(Set.of("t"), Set.of("t", "u"));
        assertThat(events).containsExactly("t-0 is known", "u-0 is known");
    }

    @Test
    void query_isNotRepeated_whileItsResponseIsPending() {
        identify(add(A));
        topicIds.askIfDue();
        assertThat(topicIds.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        clock.nanos += interval(1).toNanos();
        topicIds.askIfDue();
        AssignedPartition c = add(C);
        identify(c);
        topicIds.askIfDue();
        assertThat(lookup.idQueries).containsExactly(Set.of("t"), Set.of("u"));
        owner.run();
        assertThat(events).containsExactlyInAnyOrder("t-0 is known", "u-0 is known");
    }

    /** The response in flight may be older than the partition's position only if the check must be a new one. */
    @Test
    void responseInFlight_identifies_butConfirmsNothing() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        identify(a);
        topicIds.askIfDue();
        identify(b);
        identifyAgain(a, 1);
        owner.run();
        assertThat(events).containsExactly("t-0 is known", "t-1 is known");
        askAfter(Duration.ZERO);
        assertThat(events).containsExactly("t-0 is known", "t-1 is known", "t-0 is the same");
    }

    @Test
    void confirmation_needsConsecutiveResponses() {
        AssignedPartition a = add(A);
        identifyAgain(a, 3);
        askAfter(Duration.ZERO);
        askAfter(CONFIRM);
        assertThat(events).isEmpty();
        askAfter(CONFIRM);
        assertThat(events).containsExactly("t-0 is the same");
        assertThat(topicIds.nanosUntilDue()).isEqualTo(interval(1).toNanos());
    }

    /** A broker with outdated metadata reports the former id between two others. */
    @Test
    void confirmation_ignoresASingleDifferentResponse() {
        AssignedPartition a = add(A);
        a.open(FIRST);
        identifyAgain(a, 2);
        askAfter(Duration.ZERO);
        lookup.ids.put("t", SECOND);
        askAfter(CONFIRM);
        lookup.ids.put("t", FIRST);
        askAfter(CONFIRM);
        assertThat(events).containsExactly("t-0 is the same");
    }

    /** The first broker has outdated metadata: the partition was committed in the present topic. */
    @Test
    void confirmation_beginsAgain_onceTheOutdatedIdIsDisproved() {
        AssignedPartition a = add(A);
        a.open(SECOND);
        identifyAgain(a, 2);
        askAfter(Duration.ZERO);
        lookup.ids.put("t", SECOND);
        askAfter(CONFIRM);
        askAfter(CONFIRM);
        assertThat(events).containsExactly("t was recreated");
        askAfter(CONFIRM);
        assertThat(events).containsExactly("t was recreated", "t-0 is the same");
    }

    @Test
    void query_isNotDelayed_byAPartitionThatNeedsALaterOne() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        identify(a);
        topicIds.askIfDue();
        identifyAgain(a, 1);
        b.open(SECOND);
        identify(b);
        owner.run();
        askAfter(Duration.ZERO);
        assertThat(events).containsExactly("t-0 is known", "t-0 is the same", "t-1 is of another topic");
    }

    /** The fetches of such a topic detect that it was recreated. A paused partition is not fetched. */
    @Test
    void fetchedTopic_isQueriedRarely_unlessAPartitionIsNotFetched() {
        ClientFetcher fetcher = new ClientFetcher(client);
        assignment = assignment((RecordFetcher) Proxy.newProxyInstance(
                RecordFetcher.class.getClassLoader(),
                new Class<?>[] {RecordFetcher.class},
                (proxy, method, arguments) ->
                        method.getName().equals("fetchesByTopicId") ? true : method.invoke(fetcher, arguments)));
        topicIds = topicIds(() -> {});
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        assignment.pause(add(C), PauseReason.FLOW);
        identify(a);
        askAfter(Duration.ZERO);
        askAfter(interval(3));
        Duration rare = Duration.ofSeconds(60).plusMillis(3);
        askAfter(rare);
        assertThat(topicIds.nanosUntilDue()).isEqualTo(rare.toNanos());
        assignment.pause(b, PauseReason.FLOW);
        askAfter(rare);
        askAfter(interval(3));
        assignment.withdraw(Set.of(B));
        askAfter(interval(3));
        assertThat(topicIds.nanosUntilDue()).isEqualTo(rare.minusMillis(1).toNanos());
        a.open(FIRST);
        clock.nanos += rare.toNanos();
        ask();
        assertThat(topicIds.nanosUntilDue()).isEqualTo(interval(2).toNanos());
    }

    @Test
    void newId_reportedOnce_isNotBelieved() {
        AssignedPartition a = add(A);
        identify(a);
        ask();
        events.clear();
        lookup.ids.put("t", SECOND);
        askAfter(interval(1));
        AssignedPartition b = add(B);
        identify(b);
        assertThat(events).as("identified while the id is in doubt").isEmpty();
        lookup.ids.put("t", FIRST);
        clock.nanos += CONFIRM.toNanos();
        ask();
        assertThat(events).containsExactly("t-1 is known");
        lookup.ids.put("t", SECOND);
        askAfter(interval(2));
        lookup.ids.put("t", FIRST);
        askAfter(CONFIRM);
        assertThat(events).containsExactly("t-1 is known");
        assertThat(topicIds.wasRecreated("t")).isFalse();
        assertThat(a.topicId()).isEqualTo(FIRST);
    }

    @Test
    void newId_reportedTwice_isARecreatedTopic_forAllItsPartitions() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        AssignedPartition c = add(C);
        identify(a);
        identify(b);
        identify(c);
        ask();
        events.clear();
        lookup.ids.put("t", SECOND);
        askAfter(interval(3));
        assertThat(events).isEmpty();
        askAfter(CONFIRM);
        assertThat(events)
                .containsExactlyInAnyOrder("t was recreated", "t-0 is of another topic", "t-1 is of another topic");
        assertThat(topicIds.wasRecreated("t")).isTrue();
        assertThat(topicIds.wasRecreated("u")).isFalse();
        events.clear();
        clock.nanos += interval(3).toNanos();
        ask();
        assertThat(events).isEmpty();
    }

    /** Ids are random, so an earlier id comes from a broker with outdated metadata, however often it is reported. */
    @Test
    void earlierId_isNeverBelieved() {
        AssignedPartition a = add(A);
        identify(a);
        ask();
        lookup.ids.put("t", SECOND);
        askAfter(interval(1));
        askAfter(CONFIRM);
        events.clear();
        lookup.ids.put("t", FIRST);
        askAfter(interval(1));
        askAfter(CONFIRM);
        askAfter(CONFIRM);
        AssignedPartition b = add(B);
        identify(b);
        assertThat(events).containsExactly("t-1 is known");
        assertThat(b.topicId()).isEqualTo(SECOND);
    }

    /** One response is enough, because the recreation is certain. */
    @Test
    void positionOfAnEarlierTopic_needsOneResponse() {
        identify(add(A));
        ask();
        lookup.ids.put("t", SECOND);
        askAfter(interval(1));
        askAfter(CONFIRM);
        events.clear();
        AssignedPartition b = add(B);
        b.open(FIRST);
        identify(b);
        askAfter(Duration.ZERO);
        assertThat(events).containsExactly("t-1 is of another topic");
    }

    @Test
    void partitionWithoutAWait_isIdentifiedByAnyResponse() {
        identify(add(A));
        topicIds.askIfDue();
        AssignedPartition b = add(B);
        AssignedPartition c = add(C);
        owner.run();
        assertThat(b.topicId()).isEqualTo(FIRST);
        assertThat(c.topicId()).isNull();
        assertThat(events).containsExactly("t-0 is known");
    }

    /** Brokers before Kafka 2.8 have no ids. */
    @Test
    void missingIds_matchAnyId() {
        AssignedPartition a = add(A);
        a.open(FIRST);
        lookup.ids.put("t", Uuid.ZERO_UUID);
        identify(a);
        ask();
        assertThat(events).containsExactly("t-0 is known");
        AssignedPartition b = add(B);
        b.open(Uuid.ZERO_UUID);
        lookup.ids.put("t", FIRST);
        identifyAgain(b, 1);
        ask();
        clock.nanos += CONFIRM.toNanos();
        ask();
        assertThat(events).contains("t-1 is the same").doesNotContain("t-1 is of another topic");
    }

    @Test
    void failedQuery_isRepeated_withIncreasingDelays_andIsTheTrouble() {
        AssignedPartition a = add(A);
        assertThat(topicIds.trouble(a)).isNull();
        identify(a);
        assertThat(topicIds.trouble(a)).isNull();
        lookup.failure = new TimeoutException("too slow");
        askAfter(Duration.ZERO);
        assertThat(topicIds.trouble(a)).contains("topic t is not known").contains("too slow");
        assertThat(topicIds.trouble(add(B))).isNull();
        identifyAgain(a, 1);
        askAfter(Duration.ofMillis(100));
        lookup.failure = null;
        lookup.ids.remove("t");
        askAfter(Duration.ofMillis(200));
        assertThat(topicIds.trouble(a)).isEqualTo("topic t does not exist");
        askAfter(Duration.ofMillis(400));
        askAfter(Duration.ofMillis(800));
        askAfter(Duration.ofMillis(1600));
        askAfter(Duration.ofMillis(3200));
        askAfter(Duration.ofMillis(3200));
        assertThat(events).isEmpty();
        lookup.ids.put("t", FIRST);
        askAfter(Duration.ofMillis(3200));
        assertThat(events).containsExactly("t-0 is known", "t-0 is the same");
        identifyAgain(a, 1);
        assertThat(topicIds.trouble(a)).isNull();
        askAfter(Duration.ZERO);
        lookup.ids.remove("t");
        askAfter(interval(2));
        assertThat(topicIds.trouble(a)).as("of a partition that does not wait").isNull();
        assertThat(topicIds.nanosUntilDue()).isEqualTo(Duration.ofMillis(100).toNanos());
    }

    @Test
    void topicWithoutPartitions_isNotQueried_untilItHasOnes() {
        AssignedPartition a = add(A);
        identify(a);
        identify(add(C));
        ask();
        identifyAgain(a, 1);
        events.clear();
        assignment.withdraw(Set.of(A));
        clock.nanos += interval(2).toNanos();
        ask();
        assertThat(lookup.idQueries).endsWith(Set.of("t", "u"), Set.of("u"));
        assertThat(topicIds.nanosUntilDue()).isEqualTo(interval(1).toNanos());
        assertThat(events).isEmpty();
        AssignedPartition again = add(A);
        identify(again);
        assertThat(events).as("the topic may have been recreated meanwhile").isEmpty();
        askAfter(Duration.ZERO);
        assertThat(lookup.idQueries).endsWith(Set.of("u"), Set.of("t"));
        assertThat(events).containsExactly("t-0 is known");
    }

    @Test
    void lastTopic_whosePartitionsAreRevoked_isNotQueried() {
        identify(add(A));
        ask();
        assignment.withdraw(Set.of(A));
        clock.nanos += interval(1).toNanos();
        ask();
        assertThat(lookup.idQueries).containsExactly(Set.of("t"));
        assertThat(topicIds.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
    }

    /** Its former id says nothing, even if a query of another topic comes first. */
    @Test
    void topicWithoutPartitions_thatGetsOnesAgain_isNotKnown_untilItIsIdentified() {
        identify(add(A));
        identify(add(C));
        ask();
        assignment.withdraw(Set.of(A));
        clock.nanos += interval(2).toNanos();
        ask();
        events.clear();
        AssignedPartition again = add(A);
        clock.nanos += interval(2).toNanos();
        topicIds.askIfDue();
        identify(again);
        assertThat(events).isEmpty();
        lookup.ids.put("t", SECOND);
        owner.run();
        askAfter(Duration.ZERO);
        askAfter(CONFIRM);
        assertThat(events).containsExactly("t was recreated", "t-0 is known");
    }

    @Test
    void revokedPartition_isNotCalledBack() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        identify(a);
        identify(b);
        topicIds.askIfDue();
        assignment.withdraw(Set.of(A));
        owner.run();
        assertThat(events).containsExactly("t-1 is known");
        assertThat(a.topicId()).isNull();
        assertThat(topicIds.nanosUntilDue()).isEqualTo(interval(1).toNanos());
    }

    /** A callback may revoke further partitions. */
    @Test
    void partitionRevokedByACallback_isNotJudged() {
        AssignedPartition a = add(A);
        AssignedPartition b = add(B);
        b.open(SECOND);
        topicIds.identify(a, () -> assignment.withdraw(Set.of(B)));
        ask();
        assertThat(events).isEmpty();
    }

    @Test
    void partitionRevokedByTheHandlerOfAnother_isNotJudged() {
        topicIds = topicIds(() -> assignment.withdraw(Set.of(B)));
        identify(add(A));
        identify(add(B));
        ask();
        events.clear();
        lookup.ids.put("t", SECOND);
        askAfter(interval(2));
        askAfter(CONFIRM);
        assertThat(events).containsExactly("t was recreated", "t-0 is of another topic");
    }
}
