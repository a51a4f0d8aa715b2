package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which offsets are committed, and after which outcomes they are committed again. */
class CommittableOffsetsTest {

    private static final TopicPartition ID = new TopicPartition("t", 0);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Scripted client = new Scripted();
    private final ClientFetcher fetcher = new ClientFetcher(client);
    private final List<Boolean> awaited = new ArrayList<>();
    private final ManualClock clock = new ManualClock();
    private final GoneTopic topic = new GoneTopic(ID);
    private final OffsetCommits commits = new OffsetCommits(
            client,
            (RecordFetcher) Proxy.newProxyInstance(
                    RecordFetcher.class.getClassLoader(), new Class<?>[] {RecordFetcher.class}, (self, method, of) -> {
                        if (method.getName().equals("awaitAnswer")) {
                            awaited.add((Boolean) of[0]);
                            return null;
                        }
                        return method.invoke(fetcher, of);
                    }),
            ConsumerSettings.builder().bootstrapServers("h:1").build(),
            topic,
            clock,
            MemberCommit.NONE);
    private final AssignedPartition partition =
            new AssignedPartition(ID, new OffsetTracker(100, () -> {}), Long.MAX_VALUE);

    CommittableOffsetsTest() {
        topic.exists = true;
        client.assign(Set.of(ID));
    }

    /** Reads records. The token of each record is its offset. */
    private void read(int records) {
        for (int i = 0; i < records; i++) {
            partition
                    .tracker()
                    .append(
                            partition.tracker().nextOffset() < 0
                                    ? 0
                                    : partition.tracker().nextOffset(),
                            1);
        }
    }

    private void finish(long... offsets) {
        for (long offset : offsets) {
            partition.tracker().ack(offset);
        }
    }

    private @Nullable OffsetAndMetadata next() {
        return commits.finished(List.of(partition)).get(ID);
    }

    private static OffsetAndMetadata at(long offset, int epoch) {
        return new OffsetAndMetadata(offset, Optional.of(epoch), "");
    }

    private void commit() {
        commits.committed(List.of(partition), commits.finished(List.of(partition)));
    }

    // ---- The offset ------------------------------------------------------------------------------------------------

    /** The position is past transaction markers and aborted records at the end of the log. */
    @Test
    void idlePartition_isCommittedAtItsPosition() {
        fetcher.seek(ID, new LogPosition(7, 4));
        assertThat(next()).isEqualTo(at(7, 4));
        read(3);
        finish(0, 1, 2);
        assertThat(next()).isEqualTo(at(7, 4));
    }

    @Test
    void idlePartition_whosePositionIsUnknownOrBehind_isCommittedAtItsLastRecord() {
        read(3);
        finish(0, 1, 2);
        assertThat(Objects.requireNonNull(next()).offset()).isEqualTo(3);
        fetcher.seek(ID, LogPosition.at(1));
        assertThat(Objects.requireNonNull(next()).offset()).isEqualTo(3);
    }

    @Test
    void unfinishedRecord_isNotCommitted_thoughThePositionIsPastIt() {
        read(3);
        finish(0);
        fetcher.seek(ID, LogPosition.at(3));
        assertThat(Objects.requireNonNull(next()).offset()).isEqualTo(1);
    }

    /** The client's position is past the dropped records. Neither it nor its leader epoch may be committed. */
    @Test
    void droppedRecord_isNotCommitted_thoughThePositionIsPastIt() {
        read(5);
        partition.dropped(partition.tracker().forgetFrom(2));
        finish(0, 1);
        fetcher.seek(ID, new LogPosition(5, 9));
        OffsetAndMetadata commit = Objects.requireNonNull(next());
        assertThat(commit.offset()).isEqualTo(2);
        assertThat(commit.leaderEpoch()).isEmpty();
        fetcher.seek(ID, new LogPosition(2, 9));
        assertThat(next()).as("a position before them has a known epoch").isEqualTo(at(2, 9));
    }

    @Test
    void offset_thatIsBehindTheCommittedOne_isNotCommitted() {
        read(3);
        finish(0);
        partition.committed(2, "", 0);
        assertThat(next()).isNull();
        finish(1, 2);
        assertThat(Objects.requireNonNull(next()).offset()).isEqualTo(3);
    }

    // ---- Partitions without news -----------------------------------------------------------------------------------

    @Test
    void recordsFinishedPastTheCommittedOffset_areCommitted_afterCommitsWithoutNews() {
        fetcher.seek(ID, LogPosition.at(0));
        commit();
        assertThat(next()).as("no news").isNull();
        read(2);
        finish(1);
        OffsetAndMetadata commit = Objects.requireNonNull(next());
        assertThat(commit.offset()).isZero();
        assertThat(commits.texts().finishedPast(ID, commit).contains(1)).isTrue();
    }

    @Test
    void offsetsFinishedEarlier_areCommitted_afterCommitsWithoutNews() {
        partition.skip(finished(5));
        fetcher.seek(ID, LogPosition.at(0));
        commit();
        assertThat(next()).as("no news").isNull();
        partition.skip(finished(7));
        OffsetAndMetadata commit = Objects.requireNonNull(next());
        assertThat(commits.texts().finishedPast(ID, commit).contains(7)).isTrue();
    }

    @Test
    void topicIdAndStartSize_areCommitted_onceTheyAreKnown() {
        fetcher.seek(ID, LogPosition.at(3));
        commit();
        assertThat(next()).isNull();
        partition.identified(new Uuid(1, 1));
        assertThat(commits.texts().topicId(Objects.requireNonNull(next()))).isEqualTo(new Uuid(1, 1));
        commit();
        assertThat(next()).isNull();
        commits.texts().startSize("t", 2);
        assertThat(next()).isNotNull();
    }

    private static FinishedSet finished(long offset) {
        FinishedSet.Builder set = new FinishedSet.Builder();
        set.add(offset, offset + 1);
        return set.build();
    }

    // ---- The outcome -----------------------------------------------------------------------------------------------

    private void fail(Exception failure) {
        clock.nanos += 60 * SECOND;
        commits.commitIfDue(List.of(partition));
        client.answer(failure);
    }

    @Test
    void failures_thatALaterPollMayRepair_doNotFailThePipeline() {
        read(2);
        finish(0);
        List<Exception> failures = List.of(
                new RebalanceInProgressException("poll first"),
                new CommitFailedException("expelled"),
                new StaleMemberEpochException("a new epoch is pending"),
                new WakeupException(),
                new KafkaException("no answer", new TimeoutException("late")));
        failures.forEach(this::fail);
        assertThat(client.sent).hasSize(failures.size());
        commits.throwFatal();
        assertThat(partition.committedOffset()).isNegative();
    }

    /** The client never completes a commit that contains a deleted partition. */
    @Test
    void partitionOfAFailedCommit_isLookedUp() {
        read(2);
        finish(0);
        topic.exists = false;
        fail(new TimeoutException("no answer"));
        assertThat(commits.isGone(ID)).isTrue();
    }

    @Test
    void delay_doublesWithEachFailure_upToFiveSeconds_andStartsAgainAfterASuccess() {
        read(3);
        finish(0);
        List<Long> millis = new ArrayList<>();
        for (int failure = 0; failure < 8; failure++) {
            List<String> log = LoggedLines.of(() -> fail(new TimeoutException("no answer")));
            long delay = Duration.ofNanos(commits.nanosUntilDue()).toMillis();
            millis.add(delay);
            assertThat(log)
                    .containsExactly(
                            "WARN commit of t-0@1 failed, next try in " + delay + " ms: TimeoutException: no answer");
        }
        assertThat(millis).containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L);
        clock.nanos += 60 * SECOND;
        commits.commitIfDue(List.of(partition));
        client.answer(null);
        finish(1);
        fail(new TimeoutException("no answer"));
        assertThat(Duration.ofNanos(commits.nanosUntilDue()).toMillis()).isEqualTo(100);
    }

    @Test
    void fetcher_isToldForHowLongAResponseIsAwaited() {
        read(2);
        finish(0);
        clock.nanos += 60 * SECOND;
        commits.commitIfDue(List.of(partition));
        assertThat(awaited).containsExactly(true);
        client.answer(null);
        assertThat(awaited).containsExactly(true, false);
    }

    // ---- The last commit -------------------------------------------------------------------------------------------

    @Test
    void lastCommit_isRepeated_afterAWakeUpThatWasMeantForAPoll() {
        read(2);
        finish(0);
        client.script.addAll(List.of(new WakeupException(), new WakeupException()));
        commits.commitNow(List.of(partition), SECOND);
        assertThat(client.last).hasSize(3);
        assertThat(partition.committedOffset()).isEqualTo(1);
    }

    @Test
    void lastCommit_thatIsWokenUntilItsTimeIsUp_fails() {
        read(2);
        finish(0);
        for (int i = 0; i < 20; i++) {
            client.script.add(new WakeupException());
        }
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> commits.commitNow(List.of(partition), SECOND))
                .withCauseInstanceOf(WakeupException.class);
        assertThat(client.script).isNotEmpty();
        assertThat(partition.committedOffset()).isNegative();
    }

    @Test
    void lastCommit_ofADeletedPartition_isNotSentAgain() {
        read(2);
        finish(0);
        topic.exists = false;
        client.script.add(new TimeoutException("no answer"));
        commits.commitNow(List.of(partition), 10 * SECOND);
        assertThat(client.last).hasSize(1);
        assertThat(partition.committedOffset()).isNegative();
    }

    /** Brokers that do not support topic ids answer with the zero id. */
    @Test
    void lastCommit_ofATopicWhoseIdIsUnknown_isSentAgain() {
        partition.identified(new Uuid(1, 1));
        topic.topicId = Uuid.ZERO_UUID;
        read(2);
        finish(0);
        client.script.add(new TimeoutException("no answer"));
        commits.commitNow(List.of(partition), 10 * SECOND);
        assertThat(client.last).hasSize(2);
        assertThat(partition.committedOffset()).isEqualTo(1);
    }

    @Test
    void lastCommit_ofATopicWhoseIdIsNotAnswered_isSentAgain() {
        partition.identified(new Uuid(1, 1));
        topic.isIdUnanswered = true;
        read(2);
        finish(0);
        client.script.add(new TimeoutException("no answer"));
        commits.commitNow(List.of(partition), 10 * SECOND);
        assertThat(client.last).hasSize(2);
        assertThat(partition.committedOffset()).isEqualTo(1);
    }

    /** Answers asynchronous commits when the test says so. Fails the next blocking commits after 100 ms each. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
    private final class Scripted extends MockConsumer<byte[], byte[]> {

        private final List<Map<TopicPartition, OffsetAndMetadata>> sent = new ArrayList<>();
        private final List<Map<TopicPartition, OffsetAndMetadata>> last = new ArrayList<>();
        private final List<RuntimeException> script = new ArrayList<>();
        private @Nullable OffsetCommitCallback callback;

        Scripted() {
            super("earliest");
        }

        @Override
        public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback whenAnswered) {
            sent.add(offsets);
            callback = whenAnswered;
        }

        @Override
        public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            last.add(offsets);
            if (!script.isEmpty()) {
                clock.nanos += Math.min(timeout.toNanos(), SECOND / 10);
                throw script.removeFirst();
            }
        }

        private void answer(@Nullable Exception failure) {
            Objects.requireNonNull(callback).onComplete(sent.getLast(), failure);
        }
    }
}
