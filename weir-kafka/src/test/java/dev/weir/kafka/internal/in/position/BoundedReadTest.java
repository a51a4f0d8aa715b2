package dev.weir.kafka.internal.in.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.commit.DeliveryCommits;
import dev.weir.kafka.internal.in.commit.GoneTopic;
import dev.weir.kafka.internal.in.commit.ManualClock;
import dev.weir.kafka.internal.in.commit.MemberCommit;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.commit.QueuedOwner;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.stream.spi.Clock;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a bounded read by a member without partitions, unless a test adds one. Its group has committed nothing for the
 * topic.
 */
class BoundedReadTest {

    private static final TopicPartition ID = new TopicPartition("t", 0);

    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
    private final GoneTopic topic = new GoneTopic(ID);
    private final ManualClock clock = new ManualClock();
    private final QueuedOwner owner = new QueuedOwner();
    private @Nullable PartitionAssignment assignment;
    private BoundedRead read = read(5, Set.of());

    private BoundedRead read(long end, Set<TopicPartition> assigned) {
        ConsumerSettings<byte[], byte[]> settings =
                ConsumerSettings.builder().bootstrapServers("h:1").groupId("g").build();
        ConsumerPlan plan = new ConsumerPlan(
                Subscription.topics("t").untilEnd(),
                Map.of(ID, end),
                new ConsumerPlan.Delivery.Committable(),
                null,
                Set.of());
        ClientFetcher fetcher = new ClientFetcher(client);
        RecordOutlets outlets = RecordOutlets.single(new RecordBuffer(Clock.SYSTEM));
        PartitionAssignment made = owner.assignment(fetcher, settings, clock, plan);
        assignment = made;
        made.add(assigned, 0);
        OffsetCommits commits = new OffsetCommits(client, fetcher, settings, topic, clock, MemberCommit.NONE);
        DeliveryCommits delivery = DeliveryCommits.of(plan.delivery(), commits, null, records -> {
            throw new AssertionError("not asked for");
        });
        return new BoundedRead(
                plan,
                client,
                fetcher,
                topic,
                clock,
                owner,
                made,
                new BatchEmission(plan, null, outlets, owner),
                new StartPositions(made, plan, settings, commits, topic, clock, owner, delivery),
                commits);
    }

    /** Returns the number of seconds after which the read ends, or {@code most} if it does not end. */
    private int secondsUntilAllRead(int most) {
        int seconds = 0;
        while (seconds < most && !read.isAllRead()) {
            seconds++;
            owner.run();
            clock.nanos += TimeUnit.SECONDS.toNanos(1);
        }
        return seconds;
    }

    // Regression: brokers delete the commits of a topic together with the topic, so the read never ended.
    @Test
    void topic_thatIsDeleted_isNotWaitedFor() {
        topic.exists = true;
        assertThat(secondsUntilAllRead(60)).isEqualTo(60);
        topic.exists = false;
        assertThat(secondsUntilAllRead(60)).isBetween(6, 20);
    }

    // Regression: the end of a deleted topic stayed unknown, so the read never ended.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void topic_thatIsDeletedBeforeItsEndIsKnown_isNotWaitedFor(boolean isAssigned) {
        client.assign(Set.of(ID));
        read = read(AssignedPartition.UNKNOWN, isAssigned ? Set.of(ID) : Set.of());
        topic.exists = true;
        assertThat(secondsUntilAllRead(60)).isEqualTo(60);
        topic.exists = false;
        assertThat(secondsUntilAllRead(60)).isBetween(6, 20);
    }

    // Regression: the read waited forever for the records of a deleted topic, although it knew the end.
    @Test
    void topic_thatIsDeletedBeforeItIsRead_isNotWaitedFor() {
        client.assign(Set.of(ID));
        client.updateBeginningOffsets(Map.of(ID, 0L));
        read = read(5, Set.of(ID));
        topic.exists = true;
        assertThat(secondsUntilAllRead(60)).isEqualTo(60);
        topic.exists = false;
        assertThat(secondsUntilAllRead(60)).isBetween(6, 30);
    }

    /** The time for which a topic must be missing does not begin during a pause. */
    @Test
    void topic_thatIsMissingForAMoment_afterALongPause_isWaitedFor() {
        client.assign(Set.of(ID));
        client.updateBeginningOffsets(Map.of(ID, 0L));
        read = read(5, Set.of(ID));
        topic.exists = true;
        AssignedPartition partition =
                Objects.requireNonNull(Objects.requireNonNull(assignment).get(ID));
        Objects.requireNonNull(assignment).pause(partition, PauseReason.FLOW);
        assertThat(secondsUntilAllRead(60)).isEqualTo(60);
        topic.exists = false;
        assertThat(secondsUntilAllRead(7)).isEqualTo(7);
        partition.resume(clock.nanos);
        assertThat(secondsUntilAllRead(5)).isEqualTo(5);
    }

    /** A broker may not know the topic for a moment. */
    @Test
    void topic_thatIsMissingForAMoment_isWaitedFor() {
        topic.exists = true;
        assertThat(secondsUntilAllRead(60)).isEqualTo(60);
        topic.exists = false;
        assertThat(secondsUntilAllRead(5)).isEqualTo(5);
        topic.exists = true;
        assertThat(secondsUntilAllRead(60)).isEqualTo(60);
    }
}
