package dev.weir.kafka.internal.in.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.LoggedLines;
import dev.weir.kafka.internal.in.commit.ManualClock;
import dev.weir.kafka.internal.in.commit.QueuedOwner;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

/** Topic {@code t} has two partitions. The first one is assigned. */
class NewPartitionsTest {

    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);
    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofNanos(1);

    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
    private final ManualClock clock = new ManualClock();
    private final QueuedOwner owner = new QueuedOwner();
    private final TopicLookup lookup = new TopicLookup();
    private final PartitionAssignment assignment = owner.assignment(
            new ClientFetcher(client),
            ConsumerSettings.builder().bootstrapServers("h:1").build(),
            clock);
    private final List<Set<TopicPartition>> found = new ArrayList<>();

    NewPartitionsTest() {
        client.assign(Set.of(A, B));
        clock.nanos = -INTERVAL.toNanos() / 2;
        lookup.logs.put(A, new TopicLookup.Log(0, 1));
        lookup.logs.put(B, new TopicLookup.Log(0, 1));
        assignment.add(List.of(A), 0);
    }

    private NewPartitions partitions(Subscription subscription, Set<TopicPartition> ungrouped) {
        return new NewPartitions(
                new ConsumerPlan(subscription, Map.of(), new Delivery.Plain(false), null, ungrouped),
                assignment,
                lookup,
                clock,
                INTERVAL,
                owner,
                ids -> found.add(Set.copyOf(ids)));
    }

    private void pass(NewPartitions partitions, Duration time) {
        clock.nanos += time.toNanos();
        partitions.lookIfDue();
        owner.run();
    }

    @Test
    void newPartitions_areReportedAtEachCheck_untilTheyAreAssigned() {
        NewPartitions partitions = partitions(Subscription.topics("t"), Set.of(A));
        pass(partitions, INTERVAL.minus(MOMENT));
        assertThat(lookup.partitionQueries).isZero();
        pass(partitions, MOMENT);
        assertThat(lookup.partitionQueries).isEqualTo(1);
        assertThat(found).containsExactly(Set.of(B));
        pass(partitions, INTERVAL.minus(MOMENT));
        assertThat(lookup.partitionQueries).isEqualTo(1);
        pass(partitions, MOMENT);
        assertThat(lookup.partitionQueries).isEqualTo(2);
        assertThat(found).containsExactly(Set.of(B), Set.of(B));
        assignment.add(List.of(B), 1);
        pass(partitions, INTERVAL);
        assertThat(lookup.partitionQueries).isEqualTo(3);
        assertThat(found).hasSize(2);
    }

    @Test
    void patterns_areCheckedToo() {
        pass(partitions(Subscription.pattern("t.*"), Set.of(A)), INTERVAL);
        assertThat(found).containsExactly(Set.of(B));
    }

    @Test
    void groups_boundedReadsAndNamedPartitions_areNotChecked() {
        pass(partitions(Subscription.topics("t"), Set.of()), INTERVAL);
        pass(partitions(Subscription.topics("t").untilEnd(), Set.of(A)), INTERVAL);
        pass(partitions(Subscription.partitions(A), Set.of(A)), INTERVAL);
        assertThat(lookup.partitionQueries).isZero();
    }

    /** The response may arrive on any thread. */
    @Test
    void response_isProcessedByTheOwnerThread() {
        NewPartitions partitions = partitions(Subscription.topics("t"), Set.of(A));
        clock.nanos += INTERVAL.toNanos();
        partitions.lookIfDue();
        assertThat(lookup.partitionQueries).isEqualTo(1);
        assertThat(found).isEmpty();
        assignment.add(List.of(B), 1);
        owner.run();
        assertThat(found).as("assigned meanwhile").isEmpty();
    }

    @Test
    void failedCheck_isLogged_andRepeatedAfterTheInterval() {
        NewPartitions partitions = partitions(Subscription.topics("t"), Set.of(A));
        lookup.failure = new TimeoutException("too slow");
        List<String> lines = LoggedLines.of(() -> pass(partitions, INTERVAL));
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).startsWith("WARN").contains("cannot look for new partitions", "too slow");
        assertThat(found).isEmpty();
        lookup.failure = null;
        assertThat(LoggedLines.of(() -> pass(partitions, INTERVAL))).isEmpty();
        assertThat(found).hasSize(1);
    }

    @Test
    void failureOfOneTopic_isLoggedOnce_andHidesNoOtherTopic() {
        NewPartitions partitions = partitions(Subscription.topics("t", "u"), Set.of(A));
        lookup.failures.put("u", new UnknownTopicOrPartitionException("gone"));
        List<String> lines = LoggedLines.of(() -> pass(partitions, INTERVAL));
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).startsWith("WARN").contains("topic u", "gone");
        assertThat(found).containsExactly(Set.of(B));
        assertThat(LoggedLines.of(() -> pass(partitions, INTERVAL))).isEmpty();
        lookup.failures.put("u", new TimeoutException("too slow"));
        assertThat(LoggedLines.of(() -> pass(partitions, INTERVAL)).toString()).contains("too slow");
        lookup.failures.clear();
        assertThat(LoggedLines.of(() -> pass(partitions, INTERVAL))).isEmpty();
        lookup.failures.put("u", new TimeoutException("too slow"));
        assertThat(LoggedLines.of(() -> pass(partitions, INTERVAL)))
                .as("after a success")
                .hasSize(1);
    }
}
