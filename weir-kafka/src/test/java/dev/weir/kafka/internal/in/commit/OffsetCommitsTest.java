package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OffsetCommitsTest {

    private static final int RECORDS = 5_000;
    private static final TopicPartition ID = new TopicPartition("t", 0);

    private final GoneTopic topic = new GoneTopic(ID);
    private final OffsetCommits commits = commits(512);
    private final AssignedPartition partition = partition(RECORDS);

    private OffsetCommits commits(int metadataChars) {
        MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
        return new OffsetCommits(
                client,
                new ClientFetcher(client),
                ConsumerSettings.builder()
                        .bootstrapServers("h:1")
                        .commitMetadataChars(metadataChars)
                        .build(),
                topic,
                new ManualClock(),
                MemberCommit.NONE);
    }

    /** Returns a partition with the given number of records. Each record's token is its offset. */
    private static AssignedPartition partition(int records) {
        AssignedPartition partition = new AssignedPartition(ID, new OffsetTracker(records, () -> {}), Long.MAX_VALUE);
        for (int i = 0; i < records; i++) {
            partition.tracker().append(i, 1);
        }
        return partition;
    }

    // Regression: a transaction was committed without the offset of an input. After an abort, that input was lost.
    @Test
    void whatIsFinishedPastAFullSet_isNotTakenForCommitted() {
        long next = 1;
        Map<TopicPartition, OffsetAndMetadata> fits = Map.of();
        for (var found = commits.finishedEntirely(List.of(partition));
                found != null;
                found = commits.finishedEntirely(List.of(partition))) {
            fits = found;
            partition.tracker().ack(next);
            next += 2;
        }
        assertThat(fits).isNotEmpty();
        // The commit metadata lists all finished records except the last one, for lack of space.
        commits.committed(List.of(partition), commits.finished(List.of(partition)));
        assertThat(commits.finished(List.of(partition))).isEmpty();
        assertThat(commits.finishedEntirely(List.of(partition))).isNull();
        for (long token = 0; token < next; token += 2) {
            partition.tracker().ack(token);
        }
        var entire = Objects.requireNonNull(commits.finishedEntirely(List.of(partition)));
        assertThat(Objects.requireNonNull(entire.get(ID)).offset()).isEqualTo(next);
    }

    // The metadata lists a limited number of offset ranges. The transaction must wait for a commit that lists all its
    // inputs.
    @Test
    void whatIsFinishedPastTheMostRuns_isNotTakenForCommitted_thoughThereIsRoom() {
        int runs = CommitText.MAX_RUNS;
        AssignedPartition scattered = partition(2 * runs + 2);
        OffsetCommits roomy = commits(Short.MAX_VALUE);
        for (int run = 1; run < runs; run++) {
            scattered.tracker().ack(2L * run - 1);
        }
        assertThat(roomy.finishedEntirely(List.of(scattered))).hasSize(1);
        scattered.tracker().ack(2L * runs - 1);
        scattered.tracker().ack(2L * runs + 1);
        assertThat(roomy.finishedEntirely(List.of(scattered))).isNull();
    }

    @Test
    void whatIsCommittedEntirely_isNotCommittedAgain() {
        partition.tracker().ack(0);
        partition.tracker().ack(2);
        var first = Objects.requireNonNull(commits.finishedEntirely(List.of(partition)));
        assertThat(first).hasSize(1);
        commits.committed(List.of(partition), first);
        assertThat(commits.finishedEntirely(List.of(partition))).isEmpty();
    }

    @Test
    void whatIsFinishedPastTheSameOffset_isCommitted() {
        partition.tracker().ack(2);
        commits.committed(List.of(partition), Objects.requireNonNull(commits.finishedEntirely(List.of(partition))));
        partition.tracker().ack(4);
        var next = Objects.requireNonNull(commits.finishedEntirely(List.of(partition)));
        OffsetAndMetadata commit = Objects.requireNonNull(next.get(ID));
        assertThat(commit.offset()).isZero();
        assertThat(commits.texts().finishedPast(ID, commit).contains(4)).isTrue();
    }

    // A broker that has just started may not know the partition yet. The transaction must include its offset.
    @Test
    void partitionThatIsTakenForGone_goesWithItsTransaction_andWithNoOtherCommit() {
        partition.tracker().ack(0);
        commits.lookForGone(Set.of(ID));
        assertThat(commits.isGone(ID)).isTrue();
        assertThat(commits.finishedEntirely(List.of(partition))).containsOnlyKeys(ID);
        assertThat(commits.finished(List.of(partition))).isEmpty();
    }

    @Test
    void partitionThatIsHeld_isNotCommitted() {
        partition.tracker().ack(0);
        partition.open(null);
        assertThat(commits.finishedEntirely(List.of(partition))).isEmpty();
        assertThat(commits.finished(List.of(partition))).isEmpty();
    }

    // ---- What happens to a commit ----------------------------------------------------------------------------------

    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
    private static final class Slow extends MockConsumer<byte[], byte[]> {

        private final List<Map<TopicPartition, OffsetAndMetadata>> asked = new ArrayList<>();
        private @Nullable OffsetCommitCallback unanswered;
        private int topicsAsked;
        private boolean knowsAllTopics;

        Slow() {
            super("earliest");
        }

        @Override
        public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            asked.add(offsets);
            unanswered = callback;
        }

        @Override
        public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            throw new RebalanceInProgressException("poll first");
        }

        @Override
        public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> unknown, Duration timeout) {
            topicsAsked++;
            if (knowsAllTopics) {
                return Map.of();
            }
            throw new TimeoutException("not there");
        }

        private void answer(@Nullable Exception failure) {
            Objects.requireNonNull(unanswered).onComplete(asked.getLast(), failure);
        }
    }

    private final Slow slow = new Slow();
    private final List<Map<TopicPartition, OffsetAndMetadata>> direct = new ArrayList<>();
    private final ManualClock clock = new ManualClock();
    private final OffsetCommits onSlow = new OffsetCommits(
            slow,
            new ClientFetcher(slow),
            ConsumerSettings.builder().bootstrapServers("h:1").build(),
            topic,
            clock,
            (offsets, nanos) -> direct.add(offsets));

    private void sendDue() {
        clock.nanos += Duration.ofMinutes(1).toNanos();
        onSlow.commitIfDue(List.of(partition));
    }

    @Test
    void commit_isNotSent_whileAnotherOneIsUnderWay() {
        partition.tracker().ack(0);
        sendDue();
        partition.tracker().ack(1);
        sendDue();
        assertThat(slow.asked).hasSize(1);
        slow.answer(null);
        assertThat(partition.committedOffset()).isEqualTo(1);
        sendDue();
        assertThat(slow.asked).hasSize(2);
    }

    /** The client's commit in flight might arrive after the direct commit, and move the committed offset back. */
    @Test
    void lastCommitBesideTheClient_isNotSent_whileOneOfTheClientIsUnderWay() {
        topic.exists = true;
        partition.tracker().ack(0);
        sendDue();
        partition.tracker().ack(1);
        assertThatExceptionOfType(RebalanceInProgressException.class)
                .isThrownBy(() -> onSlow.commitNow(List.of(partition), 1_000_000_000));
        assertThat(direct).isEmpty();
        slow.answer(new RebalanceInProgressException("too late"));
        onSlow.commitNow(List.of(partition), 1_000_000_000);
        assertThat(direct).hasSize(1);
        assertThat(partition.committedOffset()).isEqualTo(2);
    }

    /** Meanwhile, a transaction or a seek has committed a later offset. */
    @Test
    void answerToAnOlderCommit_doesNotBringTheOffsetBack() {
        partition.tracker().ack(0);
        sendDue();
        onSlow.committed(List.of(partition), Map.of(ID, new OffsetAndMetadata(9)));
        slow.answer(null);
        assertThat(partition.committedOffset()).isEqualTo(9);
    }

    @Test
    void commitThatFailsForGood_isThrown_andOneThatMayPassIsNot() {
        partition.tracker().ack(0);
        sendDue();
        slow.answer(new TimeoutException("no answer"));
        onSlow.throwFatal();
        assertThat(onSlow.isBackingOff()).isTrue();
        assertThat(onSlow.failed()).isEqualTo(1);
        sendDue();
        slow.answer(new GroupAuthorizationException("g"));
        assertThatExceptionOfType(KafkaPipelineException.class)
                .isThrownBy(onSlow::throwFatal)
                .withMessageStartingWith("cannot commit t-0@1");
    }

    /** The offsets belong to a deleted topic, and a new topic has its name. */
    @Test
    void lastCommit_thatIsNotAnswered_asTheTopicIsAnotherOne_isNotSentAgain() {
        AtomicInteger asked = new AtomicInteger();
        var silent = new MockConsumer<byte[], byte[]>("earliest") {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
            public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
                asked.incrementAndGet();
                clock.nanos += timeout.toNanos();
                throw new TimeoutException("no answer");
            }
        };
        topic.exists = true;
        OffsetCommits last = new OffsetCommits(
                silent,
                new ClientFetcher(silent),
                ConsumerSettings.builder().bootstrapServers("h:1").build(),
                topic,
                clock,
                MemberCommit.NONE);
        partition.identified(new Uuid(1, 1));
        partition.tracker().ack(0);
        topic.topicId = new Uuid(1, 1);
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> last.commitNow(
                        List.of(partition), Duration.ofSeconds(10).toNanos()))
                .withMessageContaining("will be repeated");
        assertThat(asked).as("as long as it is the same topic").hasValueGreaterThan(1);
        asked.set(0);
        topic.topicId = new Uuid(2, 2);
        last.commitNow(List.of(partition), Duration.ofSeconds(10).toNanos());
        assertThat(asked).hasValue(1);
        assertThat(partition.committedOffset()).isNegative();
    }

    @Test
    void commitThatCameThrough_endsTheBackoff() {
        partition.tracker().ack(0);
        sendDue();
        slow.answer(new TimeoutException("no answer"));
        onSlow.succeededAhead();
        assertThat(onSlow.isBackingOff()).isFalse();
        assertThat(onSlow.succeeded()).isEqualTo(1);
    }

    /** Until the client requests metadata, it commits with the id of the former topic. */
    @Test
    void commitOfAnUnknownTopicId_hasTheClientAskForItsTopics_beforeTheNextOne() {
        partition.tracker().ack(0);
        sendDue();
        slow.answer(new UnknownTopicIdException("recreated"));
        assertThat(slow.topicsAsked).isZero();
        onSlow.send(Map.of(ID, new OffsetAndMetadata(1)), made -> {});
        assertThat(slow.topicsAsked).isEqualTo(1);
        slow.answer(null);
        onSlow.send(Map.of(ID, new OffsetAndMetadata(1)), made -> {});
        assertThat(slow.topicsAsked).as("once").isEqualTo(1);
    }

    @Test
    void partitionOfWhichACommitIsTaken_isNotGone() {
        onSlow.lookForGone(Set.of(ID));
        assertThat(onSlow.isGone(ID)).isTrue();
        onSlow.committed(List.of(partition), Map.of(ID, new OffsetAndMetadata(1)));
        assertThat(onSlow.isGone(ID)).isFalse();
    }

    @Test
    void commitThatFailed_isNotBroughtForwardByRecords() {
        topic.exists = true;
        OffsetCommits often = new OffsetCommits(
                slow,
                new ClientFetcher(slow),
                ConsumerSettings.builder()
                        .bootstrapServers("h:1")
                        .commitRecords(1)
                        .build(),
                topic,
                clock,
                MemberCommit.NONE);
        partition.tracker().ack(0);
        partition.advance();
        often.commitIfDue(List.of(partition));
        assertThat(slow.asked).hasSize(1);
        slow.answer(new TimeoutException("no answer"));
        partition.tracker().ack(1);
        partition.advance();
        often.commitIfDue(List.of(partition));
        often.bringForward();
        often.commitIfDue(List.of(partition));
        assertThat(slow.asked).hasSize(1);
        clock.nanos += Duration.ofMillis(100).toNanos();
        often.commitIfDue(List.of(partition));
        assertThat(slow.asked).hasSize(2);
    }

    /** The commit in flight might arrive after the client's commit, and move the committed offset back. */
    @Test
    void lastCommit_waitsForTheOneThatIsUnderWayBesideTheClient() {
        topic.exists = true;
        AtomicLong awaited = new AtomicLong();
        MemberCommit beside = new MemberCommit() {
            @Override
            public boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos) {
                return false;
            }

            @Override
            public void await(long nanos) {
                awaited.addAndGet(nanos);
            }
        };
        OffsetCommits last = new OffsetCommits(
                slow,
                new ClientFetcher(slow),
                ConsumerSettings.builder().bootstrapServers("h:1").build(),
                topic,
                clock,
                beside);
        assertThatExceptionOfType(RebalanceInProgressException.class)
                .isThrownBy(() -> last.commitNow(List.of(partition), 1_000_000));
        assertThat(awaited).hasValue(1_000_000);
        assertThatExceptionOfType(RebalanceInProgressException.class)
                .isThrownBy(() -> last.commitNow(
                        List.of(partition), Duration.ofSeconds(10).toNanos()));
        assertThat(awaited).as("for two seconds at most").hasValue(2_001_000_000);
    }

    // ---- When the next commit is due -------------------------------------------------------------------------------

    private static final long MILLI = 1_000_000;

    /** A separate connection for commits. The test answers them. */
    private static final class Beside implements MemberCommit {

        private java.util.function.@Nullable Consumer<@Nullable Exception> unanswered;
        private int polls;
        private int closed;

        @Override
        public boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos) {
            return false;
        }

        @Override
        public boolean send(
                Map<TopicPartition, OffsetAndMetadata> offsets, java.util.function.Consumer<@Nullable Exception> then) {
            unanswered = then;
            return true;
        }

        @Override
        public boolean isUnderWay() {
            return unanswered != null;
        }

        @Override
        public void poll() {
            polls++;
        }

        @Override
        public void close() {
            closed++;
        }

        private void answer(@Nullable Exception failure) {
            var then = Objects.requireNonNull(unanswered);
            unanswered = null;
            then.accept(failure);
        }
    }

    private OffsetCommits on(MockConsumer<byte[], byte[]> client, MemberCommit beside) {
        return new OffsetCommits(
                client,
                new ClientFetcher(client),
                ConsumerSettings.builder().bootstrapServers("h:1").build(),
                topic,
                clock,
                beside);
    }

    @Test
    void commit_isDueAfterTheInterval_andNotWhileOneIsUnderWay() {
        clock.nanos = 5_000 * MILLI;
        OffsetCommits commitsNow = on(slow, MemberCommit.NONE);
        assertThat(commitsNow.nanosUntilDue()).isEqualTo(1_000 * MILLI);
        clock.nanos += 300 * MILLI;
        assertThat(commitsNow.nanosUntilDue()).isEqualTo(700 * MILLI);
        clock.nanos += 1_000 * MILLI;
        assertThat(commitsNow.nanosUntilDue()).isZero();
        assertThat(commitsNow.nanosUntilFree()).isZero();
        partition.tracker().ack(0);
        commitsNow.commitIfDue(List.of(partition));
        assertThat(commitsNow.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        assertThat(commitsNow.nanosUntilFree()).isEqualTo(Long.MAX_VALUE);
        slow.answer(new TimeoutException("no answer"));
        clock.nanos += 40 * MILLI;
        assertThat(commitsNow.nanosUntilFree()).isEqualTo(60 * MILLI);
        assertThat(commitsNow.nanosUntilDue()).isEqualTo(60 * MILLI);
        clock.nanos += 60 * MILLI;
        assertThat(commitsNow.nanosUntilFree()).isZero();
    }

    @Test
    void commitBesideTheClient_isPolledUntilItsAnswer_andCounted() {
        Beside beside = new Beside();
        OffsetCommits commitsNow = on(slow, beside);
        commitsNow.commitIfDue(List.of(partition));
        assertThat(beside.polls).as("none is under way").isZero();
        partition.tracker().ack(0);
        clock.nanos += 1_000 * MILLI;
        commitsNow.commitIfDue(List.of(partition));
        assertThat(commitsNow.nanosUntilDue()).isLessThan(1_000 * MILLI);
        commitsNow.commitIfDue(List.of(partition));
        assertThat(beside.polls).isEqualTo(1);
        beside.answer(null);
        assertThat(partition.committedOffset()).isEqualTo(1);
        assertThat(commitsNow.succeeded()).isEqualTo(1);
        partition.tracker().ack(1);
        clock.nanos += 1_000 * MILLI;
        commitsNow.commitIfDue(List.of(partition));
        beside.answer(new TimeoutException("no answer"));
        assertThat(commitsNow.failed()).isEqualTo(1);
        assertThat(slow.asked).as("all went beside the client").isEmpty();
        commitsNow.close();
        assertThat(beside.closed).isEqualTo(1);
    }

    @Test
    void sentOffsets_areAnsweredWithTheirOutcome() {
        List<Boolean> answers = new ArrayList<>();
        onSlow.send(Map.of(ID, new OffsetAndMetadata(1)), answers::add);
        slow.answer(null);
        onSlow.send(Map.of(ID, new OffsetAndMetadata(2)), answers::add);
        slow.answer(new TimeoutException("no answer"));
        assertThat(answers).containsExactly(true, false);
        assertThat(onSlow.succeeded()).isEqualTo(1);
        assertThat(onSlow.failed()).isEqualTo(1);
        assertThat(onSlow.isBackingOff()).isTrue();
        onSlow.failedElsewhere();
        assertThat(onSlow.failed()).isEqualTo(2);
    }

    @Test
    void dueCommit_afterAnUnknownTopicId_hasTheClientAskForItsTopics() {
        partition.tracker().ack(0);
        sendDue();
        slow.answer(new UnknownTopicIdException("recreated"));
        topic.exists = true;
        onSlow.assigned(Set.of(ID));
        assertThat(LoggedLines.of(this::sendDue)).singleElement().asString().contains("DEBUG asked for [t-");
        assertThat(slow.topicsAsked).isEqualTo(1);
        assertThat(slow.asked).hasSize(2);
        slow.answer(new UnknownTopicIdException("recreated"));
        slow.knowsAllTopics = true;
        assertThat(LoggedLines.of(this::sendDue)).singleElement().asString().endsWith(" are known after all");
        assertThat(slow.asked).hasSize(3);
    }

    @Test
    void commitOfTheSameOffset_withMoreBehindIt_isTaken() {
        partition.tracker().ack(2);
        commits.committed(List.of(partition), Objects.requireNonNull(commits.finishedEntirely(List.of(partition))));
        partition.tracker().ack(4);
        commits.committed(List.of(partition), Objects.requireNonNull(commits.finishedEntirely(List.of(partition))));
        assertThat(commits.finishedEntirely(List.of(partition))).isEmpty();
        assertThat(commits.succeeded()).isEqualTo(2);
    }

    @Test
    void recordsFinishedUntilACommit_areNotCountedForTheNextOne() {
        partition.tracker().ack(0);
        partition.advance();
        assertThat(partition.finishedSinceCommit()).isEqualTo(1);
        sendDue();
        assertThat(partition.finishedSinceCommit()).isZero();
    }

    // ---- The last commit -------------------------------------------------------------------------------------------

    /** Does not answer its first commits. Each of these takes its full timeout. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
    private final class Silent extends MockConsumer<byte[], byte[]> {

        private final List<Long> patience = new ArrayList<>();
        private int silentFor;

        Silent(int silentFor) {
            super("earliest");
            this.silentFor = silentFor;
        }

        @Override
        public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            patience.add(timeout.toMillis());
            if (silentFor-- > 0) {
                clock.nanos += timeout.toNanos();
                throw new TimeoutException("no answer");
            }
        }
    }

    @Test
    void lastCommit_isTriedWithMoreAndMorePatience_untilItsTimeIsUp() {
        topic.exists = true;
        partition.tracker().ack(0);
        Silent silent = new Silent(Integer.MAX_VALUE);
        OffsetCommits last = on(silent, MemberCommit.NONE);
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> last.commitNow(List.of(partition), 10_000 * MILLI))
                .withMessageContaining("will be repeated");
        assertThat(silent.patience.stream().mapToLong(Long::longValue).sum()).isEqualTo(10_000);
        for (int i = 1; i < silent.patience.size() - 1; i++) {
            assertThat(silent.patience.get(i)).isEqualTo(2 * silent.patience.get(i - 1));
        }
        assertThat(silent.patience).hasSizeGreaterThan(2);
        assertThat(last.failed()).isEqualTo(1);
        assertThat(topic.questions)
                .as("each failure asks whether the topic is there")
                .isPositive();
    }

    @Test
    void lastCommit_thatIsAnsweredLate_isTaken() {
        topic.exists = true;
        partition.tracker().ack(0);
        OffsetCommits last = on(new Silent(2), MemberCommit.NONE);
        last.commitNow(List.of(partition), 10_000 * MILLI);
        assertThat(partition.committedOffset()).isEqualTo(1);
        assertThat(last.succeeded()).isEqualTo(1);
        assertThat(last.failed()).isZero();
    }

    @Test
    void lastCommit_thatTheClientRefuses_hasNoMoreThanItsTimeBesideIt() {
        clock.nanos = 5_000 * MILLI;
        topic.exists = true;
        partition.tracker().ack(0);
        List<Long> patience = new ArrayList<>();
        OffsetCommits last = on(slow, (offsets, nanos) -> {
            patience.add(nanos);
            return false;
        });
        for (long timeout : new long[] {1_000 * MILLI, 10_000 * MILLI}) {
            assertThatExceptionOfType(RebalanceInProgressException.class)
                    .isThrownBy(() -> last.commitNow(List.of(partition), timeout));
        }
        assertThat(patience).containsExactly(1_000 * MILLI, 2_000 * MILLI);
        assertThat(last.failed()).isEqualTo(2);
        assertThat(topic.questions).isEqualTo(2);
    }
}
