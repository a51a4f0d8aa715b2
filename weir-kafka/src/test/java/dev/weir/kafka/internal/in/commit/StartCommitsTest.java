package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StartCommitsTest {

    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);

    private final Unanswered client = new Unanswered();
    private final ClientFetcher fetcher = new ClientFetcher(client);
    private final ManualClock clock = new ManualClock();
    private final GoneTopic topic = new GoneTopic(A);
    private final QueuedOwner owner = new QueuedOwner();
    private final ConsumerSettings<byte[], byte[]> settings =
            ConsumerSettings.builder().bootstrapServers("h:1").groupId("g").build();
    private final OffsetCommits commits = new OffsetCommits(client, fetcher, settings, topic, clock, MemberCommit.NONE);
    private final PartitionAssignment assignment = owner.assignment(fetcher, settings, clock);
    private final StartCommits starts = new StartCommits(assignment, commits, owner);
    private final List<String> released = new ArrayList<>();

    StartCommitsTest() {
        client.assign(Set.of(A, B));
        assignment.add(Set.of(A, B), 0);
    }

    private AssignedPartition partition(TopicPartition id) {
        return Objects.requireNonNull(assignment.get(id));
    }

    private void add(TopicPartition id, long offset) {
        starts.add(partition(id), offset, () -> released.add(id.partition() + "@" + offset));
    }

    private void answer(@Nullable Exception failure) {
        client.answer(failure);
        owner.run();
    }

    private static Map<TopicPartition, OffsetAndMetadata> at(TopicPartition id, long offset) {
        return Map.of(id, new OffsetAndMetadata(offset));
    }

    @Test
    void start_isReleasedByTheOwner_onceItIsCommitted() {
        assertThat(starts.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        starts.commitIfDue();
        assertThat(client.sent).isEmpty();
        add(A, 7);
        add(B, 9);
        assertThat(starts.nanosUntilDue()).isZero();
        starts.commitIfDue();
        assertThat(client.sent).containsExactly(Map.of(A, new OffsetAndMetadata(7), B, new OffsetAndMetadata(9)));
        assertThat(starts.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        client.answer(null);
        assertThat(released).as("within the client's poll").isEmpty();
        owner.run();
        assertThat(released).containsExactly("0@7", "1@9");
        starts.commitIfDue();
        assertThat(client.sent).hasSize(1);
    }

    @Test
    void start_whoseCommitFails_isCommittedAgain_afterADelay() {
        topic.exists = true;
        add(A, 7);
        starts.commitIfDue();
        answer(new TimeoutException("no answer"));
        assertThat(released).isEmpty();
        assertThat(starts.nanosUntilDue()).isEqualTo(Duration.ofMillis(100).toNanos());
        starts.commitIfDue();
        assertThat(client.sent).hasSize(1);
        clock.nanos += Duration.ofMillis(100).toNanos();
        starts.commitIfDue();
        assertThat(client.sent).containsExactly(at(A, 7), at(A, 7));
        answer(null);
        assertThat(released).containsExactly("0@7");
    }

    @Test
    void start_waitsForTheCommitInFlight() {
        add(A, 7);
        starts.commitIfDue();
        add(B, 9);
        starts.commitIfDue();
        assertThat(client.sent).containsExactly(at(A, 7));
        answer(null);
        starts.commitIfDue();
        assertThat(client.sent).containsExactly(at(A, 7), at(B, 9));
    }

    /** The next owner of the partition may have committed another offset. */
    @Test
    void start_ofARevokedPartition_isNotCommitted() {
        add(A, 7);
        assignment.withdraw(Set.of(A));
        starts.commitIfDue();
        assertThat(client.sent).isEmpty();
        assertThat(starts.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void start_ofAPartitionThatIsRevokedDuringItsCommit_isNotReleased() {
        add(A, 7);
        add(B, 9);
        starts.commitIfDue();
        assignment.withdraw(Set.of(A));
        answer(null);
        assertThat(released).containsExactly("1@9");
    }

    @Test
    void start_ofAPartitionThatIsRevokedDuringItsCommit_isNotCommittedAgain() {
        topic.exists = true;
        add(A, 7);
        starts.commitIfDue();
        assignment.withdraw(Set.of(A));
        answer(new TimeoutException("no answer"));
        clock.nanos += Duration.ofMinutes(1).toNanos();
        starts.commitIfDue();
        assertThat(client.sent).containsExactly(at(A, 7));
        assertThat(released).isEmpty();
    }

    /** A commit that contains a deleted partition never completes. */
    @Test
    void start_ofADeletedPartition_waitsUntilItExistsAgain() {
        commits.lookForGone(Set.of(A));
        add(A, 7);
        assertThat(starts.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        starts.commitIfDue();
        assertThat(client.sent).isEmpty();
        add(B, 9);
        assertThat(starts.nanosUntilDue()).isZero();
        starts.commitIfDue();
        assertThat(client.sent).containsExactly(at(B, 9));
        answer(null);
        assertThat(released).containsExactly("1@9");
        topic.exists = true;
        commits.lookForGone(Set.of(A));
        starts.commitIfDue();
        answer(null);
        assertThat(released).containsExactly("1@9", "0@7");
    }

    private static final class Unanswered extends MockConsumer<byte[], byte[]> {

        private final List<Map<TopicPartition, OffsetAndMetadata>> sent = new ArrayList<>();
        private @Nullable OffsetCommitCallback callback;

        Unanswered() {
            super("earliest");
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback whenAnswered) {
            sent.add(offsets);
            callback = whenAnswered;
        }

        private void answer(@Nullable Exception failure) {
            Objects.requireNonNull(callback).onComplete(sent.getLast(), failure);
        }
    }
}
