package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.GonePartitions;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.spi.Lookup;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Brings the group's committed offsets to what is finished. Confined to the owner thread.
 *
 * <p>A commit is a desired state, not a message: what is finished is looked up when a commit is due, at most one is
 * under way, and after a failure the state of that later moment is sent, with a growing delay. So a retriable failure
 * costs nothing but repetition after a crash, and a commit can never move backwards.
 */
public final class OffsetCommits {

    private static final ConsumerLog LOG = ConsumerLog.of(OffsetCommits.class);
    private static final long MIN_BACKOFF_NANOS = Duration.ofMillis(100).toNanos();
    private static final long MAX_BACKOFF_NANOS = Duration.ofSeconds(5).toNanos();

    /**
     * The time such a commit waits for its first answer before it looks whether there can be one; then twice as long.
     */
    private static final long FIRST_SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The interval between looks for the answer to a commit that was sent beside the client. */
    private static final long ANSWER_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The time such a commit may take beside the client, which has to poll on while its group rebalances. */
    private static final long DIRECT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The time for which the client is asked for partitions that it does not know. */
    private static final Duration METADATA_WAIT = Duration.ofMillis(100);

    /** Time for a commit that must not be left to chance. */
    public static final long SYNC_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<?, ?> client;
    private final RecordFetcher fetcher;
    private final OwnerClock clock;
    private final MemberCommit direct;
    private final CommitTexts texts;
    private final GonePartitions gone;
    private final long intervalNanos;
    private final int recordsPerCommit;

    private long dueNanos;
    private long goneLookDueNanos;
    private long backoffNanos;

    /** The time when the next try may be, after a failure. {@link #dueNanos} moves on where nothing is finished. */
    private long retryNanos;

    /** Topics whose id the client has of a topic of the same name that is gone. */
    private final Set<String> outdated = new HashSet<>();

    private boolean underWay;
    private long succeeded;
    private long failed;
    private @Nullable KafkaPipelineException fatal;

    /** @param direct what commits at last when the client does not, as the group rebalances */
    public OffsetCommits(
            Consumer<?, ?> client,
            RecordFetcher fetcher,
            ConsumerSettings<?, ?> settings,
            Lookup lookup,
            OwnerClock clock,
            MemberCommit direct) {
        this.client = client;
        this.fetcher = fetcher;
        this.clock = clock;
        this.direct = direct;
        this.texts = new CommitTexts(client, settings, clock);
        this.gone = new GonePartitions(lookup);
        this.intervalNanos = settings.commitInterval().toNanos();
        this.recordsPerCommit = settings.commitRecords();
        this.dueNanos = clock.nanoTime() + intervalNanos;
        this.goneLookDueNanos = dueNanos;
    }

    public long succeeded() {
        return succeeded;
    }

    public long failed() {
        return failed;
    }

    public CommitTexts texts() {
        return texts;
    }

    /** Partitions have come. */
    public void assigned(Collection<TopicPartition> ids) {
        gone.assigned(ids);
    }

    /** Finds out soon which of the partitions do not exist any more; {@link #isGone}. */
    public void lookForGone(Collection<TopicPartition> ids) {
        gone.ask(ids);
    }

    /** Returns whether the partition was found not to exist any more, so that no commit of it is ever answered. */
    public boolean isGone(TopicPartition id) {
        return gone.contains(id);
    }

    /** The committed offsets of the partitions, asked for within the given time. Blocks. */
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, long nanos) {
        return texts.committed(ids, nanos);
    }

    /** The time for which {@link #commitIfDue} has nothing to look at. */
    public long nanosUntilDue() {
        if (underWay) {
            return direct.isUnderWay() ? ANSWER_LOOK_NANOS : Long.MAX_VALUE;
        }
        return Math.max(0, dueNanos - clock.nanoTime());
    }

    /** Returns whether a commit failed a moment ago, so that the next one has to wait. */
    public boolean isBackingOff() {
        return backoffNanos > 0 && clock.nanoTime() - retryNanos < 0;
    }

    /** The time for which {@link #send} may not be called. */
    long nanosUntilFree() {
        if (underWay) {
            return Long.MAX_VALUE;
        }
        return isBackingOff() ? retryNanos - clock.nanoTime() : 0;
    }

    /** Counts a commit that was sent elsewhere. */
    void succeededAhead() {
        succeeded++;
        backoffNanos = 0;
    }

    /**
     * Sends exactly these offsets, and says within a later poll whether they are committed. Only when {@link
     * #nanosUntilFree} is 0: at most one commit is under way.
     */
    void send(Map<TopicPartition, OffsetAndMetadata> offsets, java.util.function.Consumer<Boolean> then) {
        updateTopicIds();
        sendByClient(offsets, failure -> {
            if (failure == null) {
                succeededAhead();
            } else {
                retryLater(offsets, failure);
            }
            then.accept(failure == null);
        });
    }

    /** The answer comes within a later poll of the fetcher. */
    private void sendByClient(
            Map<TopicPartition, OffsetAndMetadata> offsets, java.util.function.Consumer<@Nullable Exception> then) {
        underWay = true;
        fetcher.awaitAnswer(true);
        // The client of the consumer protocol does not say which offsets it was.
        client.commitAsync(offsets, (same, failure) -> {
            underWay = false;
            fetcher.awaitAnswer(false);
            then.accept(failure);
        });
    }

    /** Lets the next commit be due at once, unless the last one failed. */
    public void bringForward() {
        if (backoffNanos == 0) {
            dueNanos = clock.nanoTime();
        }
    }

    /** Throws what made a commit fail for good. */
    public void throwFatal() {
        if (fatal != null) {
            throw fatal;
        }
    }

    /** Sends what is finished if the time or the count has come. The answer arrives in a later poll. */
    public void commitIfDue(List<AssignedPartition> assigned) {
        if (direct.isUnderWay()) {
            direct.poll();
        }
        if (underWay || !isDue(assigned)) {
            return;
        }
        dueNanos = clock.nanoTime() + intervalNanos;
        updateTopicIds(); // waits: what is finished is looked up after it
        Map<TopicPartition, OffsetAndMetadata> finished = finished(assigned);
        if (finished.isEmpty()) {
            return;
        }
        List<AssignedPartition> sent = List.copyOf(assigned);
        underWay = direct.send(finished, failure -> {
            underWay = false;
            answered(sent, finished, failure);
        });
        if (!underWay) {
            sendByClient(finished, failure -> answered(sent, finished, failure));
        }
    }

    private void answered(
            List<AssignedPartition> sent, Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable Exception failure) {
        if (failure == null) {
            committed(sent, offsets);
        } else {
            retryLater(offsets, failure);
        }
    }

    /** Lets go of what commits beside the client. */
    public void close() {
        direct.close();
    }

    /** One that stays assigned may come back, and waits for that, whoever commits. */
    void lookForGoneIfDue() {
        if (clock.nanoTime() - goneLookDueNanos >= 0) {
            goneLookDueNanos = clock.nanoTime() + MAX_BACKOFF_NANOS;
            gone.ask(gone.all());
        }
    }

    private boolean isDue(List<AssignedPartition> assigned) {
        if (clock.nanoTime() - dueNanos >= 0) {
            return true;
        }
        if (backoffNanos > 0) {
            return false;
        }
        long records = 0;
        for (int i = 0; i < assigned.size(); i++) { // no iterator, for each turn
            records += assigned.get(i).finishedSinceCommit();
        }
        return records >= recordsPerCommit;
    }

    /** Notes offsets that were committed, here or by a transaction. */
    public void committed(Collection<AssignedPartition> sent, Map<TopicPartition, OffsetAndMetadata> offsets) {
        succeeded++;
        backoffNanos = 0;
        gone.assigned(offsets.keySet()); // they exist, whatever a broker has said that had just started
        for (AssignedPartition partition : sent) {
            OffsetAndMetadata offset = offsets.get(partition.id());
            // An answer to a commit of an earlier assignment, or from before a seek, must not hide what this one has
            // yet to commit: that is another partition object.
            if (offset != null && offset.offset() >= partition.committedOffset()) {
                partition.committed(offset.offset(), CommitTexts.setOf(offset), clock.nanoTime());
            }
        }
    }

    /** Notes a failure and when to try again. */
    void retryLater(Map<TopicPartition, OffsetAndMetadata> offsets, Exception failure) {
        failed++;
        gone.ask(offsets.keySet());
        if (!isRetriable(failure)) {
            // Not thrown here: this runs inside the client's poll.
            fatal = new KafkaPipelineException(
                    "cannot commit " + OffsetTexts.of(offsets) + ": " + OffsetTexts.messageOf(failure), failure);
        }
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        if (cause instanceof UnknownTopicIdException) {
            offsets.keySet().forEach(id -> outdated.add(id.topic()));
        }
        backoffNanos = Math.clamp(backoffNanos * 2, MIN_BACKOFF_NANOS, MAX_BACKOFF_NANOS);
        retryNanos = clock.nanoTime() + backoffNanos;
        dueNanos = retryNanos;
        LOG.warn(
                "commit of {} failed, next try in {} ms: {}: {}",
                OffsetTexts.of(offsets),
                backoffNanos / 1_000_000,
                cause.getClass().getSimpleName(),
                OffsetTexts.messageOf(cause));
    }

    /**
     * Makes the client ask for its topics again. It commits by topic id, learns of another one only where it fetches or
     * is given partitions, and else repeats the id of a topic that is gone until {@code metadata.max.age.ms} is over. A
     * question for a partition that it does not know makes it ask at once.
     */
    private void updateTopicIds() {
        if (outdated.isEmpty()) {
            return;
        }
        List<TopicPartition> unknown = outdated.stream()
                .map(topic -> new TopicPartition(topic, Integer.MAX_VALUE))
                .toList();
        outdated.clear();
        try {
            var none = client.endOffsets(unknown, METADATA_WAIT);
            LOG.debug("{} are known after all", none);
        } catch (KafkaException asItMust) {
            LOG.debug("asked for {}: {}", unknown, asItMust.toString());
        }
    }

    /**
     * Returns whether a later commit may succeed. A member that was expelled or is about to be given a new epoch learns
     * so here first; a later poll takes the partitions away, or brings the epoch.
     */
    private static boolean isRetriable(Exception failure) {
        return failure instanceof RetriableException
                || failure instanceof RebalanceInProgressException
                || failure instanceof CommitFailedException
                || failure instanceof StaleMemberEpochException
                || failure instanceof WakeupException
                || (failure.getCause() instanceof RetriableException);
    }

    /** A commit that did not come about, though it was not sent from here. */
    public void failedElsewhere() {
        failed++;
    }

    /**
     * The offsets a transaction commits of these partitions: where more is finished than was committed, exactly that.
     * Also of those that are taken for gone: their records would be committed without their offsets.
     *
     * @return null if it does not fit into the metadata of the commits now,
     *     also where as much of it as does is committed
     */
    public @Nullable Map<TopicPartition, OffsetAndMetadata> finishedEntirely(Collection<AssignedPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> finished = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            long offset = partition.isHeld() ? AssignedPartition.UNKNOWN : finishedTo(partition);
            if (offset >= 0) {
                OffsetAndMetadata entire = texts.commitEntirely(partition, offset);
                if (entire == null) {
                    return null;
                }
                addIfNews(partition, entire, finished);
            }
        }
        return finished;
    }

    /** The offsets, with their metadata, of partitions in which more is finished than was committed. */
    public Map<TopicPartition, OffsetAndMetadata> finished(Collection<AssignedPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> finished = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            boolean isOut = partition.isHeld() || gone.contains(partition.id());
            long offset = isOut ? AssignedPartition.UNKNOWN : finishedTo(partition);
            if (offset >= 0 && !isSettled(partition, offset)) {
                addIfNews(partition, texts.commit(partition, offset), finished);
            }
        }
        return finished;
    }

    /** The offset that may be committed now; {@link AssignedPartition#UNKNOWN} if none may. */
    private long finishedTo(AssignedPartition partition) {
        partition.advance();
        partition.beginCommit();
        long offset = committable(partition);
        return offset >= partition.committedOffset() ? offset : AssignedPartition.UNKNOWN;
    }

    /** Returns whether a commit of that offset was found to bring no news, and has the same text now. */
    private boolean isSettled(AssignedPartition partition, long offset) {
        return isWhole(partition, offset) && partition.isSettledAt(offset, texts.version());
    }

    /** Returns whether everything is finished, so that the text of a commit does not depend on what is. */
    private static boolean isWhole(AssignedPartition partition, long offset) {
        return partition.tracker().isIdle() && partition.finishedEarlier().isBefore(offset);
    }

    private void addIfNews(
            AssignedPartition partition, OffsetAndMetadata commit, Map<TopicPartition, OffsetAndMetadata> news) {
        if (commit.offset() > partition.committedOffset()
                || !CommitTexts.setOf(commit).equals(partition.committedSet())) {
            news.put(partition.id(), commit);
        } else if (isWhole(partition, commit.offset())) {
            partition.settledAt(commit.offset(), texts.version());
        }
    }

    /**
     * Offset to commit for a partition. If everything is finished it is the client's position, which is past
     * transaction markers and aborted records, so an idle group has no lag. It is known even if no record was ever
     * seen.
     */
    private long committable(AssignedPartition partition) {
        long offset = partition.tracker().committableOffset();
        if (!partition.tracker().isIdle()) {
            return offset;
        }
        long position = fetcher.position(partition.id());
        if (position < 0) {
            return offset;
        }
        if (position <= partition.firstDropped()) {
            partition.epochs().passed(position, fetcher.leaderEpoch(partition.id()));
        }
        return Math.max(offset, Math.min(position, partition.firstDropped()));
    }

    /**
     * Commits what is finished in the given partitions before they are given up. What the client does not send, because
     * it waits for a rebalance, is sent beside it: others may never come back, and the rebalance take as long as their
     * sessions.
     *
     * @throws RebalanceInProgressException if the client must poll first
     * @throws KafkaException if it could not be done in time or ever; then the work will be repeated
     */
    public void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos) {
        long deadlineNanos = clock.nanoTime() + timeoutNanos;
        // One that arrives behind the client's would bring an older offset back.
        direct.await(Math.min(DIRECT_NANOS, timeoutNanos));
        Map<TopicPartition, OffsetAndMetadata> finished = finished(partitions);
        if (finished.isEmpty()) {
            return;
        }
        try {
            committed(partitions, commitExisting(finished, deadlineNanos));
        } catch (RebalanceInProgressException pollFirst) {
            // One that is under way could arrive behind it, and bring an older offset back.
            if (!underWay && direct.commit(finished, Math.min(DIRECT_NANOS, deadlineNanos - clock.nanoTime()))) {
                committed(partitions, finished);
                return;
            }
            failed++;
            gone.ask(finished.keySet());
            throw pollFirst;
        } catch (KafkaException failure) {
            failed++;
            throw new KafkaException(
                    "finished work up to " + OffsetTexts.of(finished) + " is not committed and will be repeated: "
                            + OffsetTexts.messageOf(failure),
                    failure);
        }
    }

    /**
     * Commits those of the offsets whose logs exist, and returns them. The client itself waits for the others in vain:
     * for partitions that are gone, and for those of a topic that was recreated, whose offsets mean nothing there.
     */
    private Map<TopicPartition, OffsetAndMetadata> commitExisting(
            Map<TopicPartition, OffsetAndMetadata> finished, long deadlineNanos) {
        Map<TopicPartition, OffsetAndMetadata> left = new HashMap<>(finished);
        var topicIds = gone.topicIds(finished.keySet());
        for (long slice = FIRST_SLICE_NANOS; !left.isEmpty(); slice *= 2) {
            long now = clock.nanoTime();
            try {
                commitSync(left, deadlineNanos - now < slice ? deadlineNanos : now + slice);
                return left;
            } catch (TimeoutException | UnknownTopicOrPartitionException unanswered) {
                if (deadlineNanos - clock.nanoTime() <= 0) {
                    throw unanswered;
                }
                gone.ask(left.keySet());
            }
            left.entrySet().removeIf(commit -> gone.contains(commit.getKey()) || isOfAnotherTopic(commit, topicIds));
        }
        return left;
    }

    private boolean isOfAnotherTopic(
            Map.Entry<TopicPartition, OffsetAndMetadata> commit, Map<String, CompletableFuture<Uuid>> topicIds) {
        CompletableFuture<Uuid> answer = topicIds.get(commit.getKey().topic());
        if (answer == null || answer.state() != Future.State.SUCCESS) {
            return false;
        }
        Uuid before = texts.topicId(commit.getValue());
        Uuid now = answer.resultNow();
        return before != null && !now.equals(Uuid.ZERO_UUID) && !now.equals(before);
    }

    /** Commits exactly these offsets and waits for the answer. */
    void commitSync(Map<TopicPartition, OffsetAndMetadata> finished, long deadlineNanos) {
        while (true) {
            long left = Math.max(0, deadlineNanos - clock.nanoTime());
            try {
                client.commitSync(finished, Duration.ofNanos(left));
                return;
            } catch (WakeupException late) {
                // Meant for the poll before this, so the commit is as much wanted as it was.
                if (left == 0) {
                    throw late;
                }
            }
        }
    }
}
