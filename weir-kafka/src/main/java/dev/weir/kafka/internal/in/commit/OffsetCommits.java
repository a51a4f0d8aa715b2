package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.GonePartitions;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.offsets.CommitText;
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
 * Commits finished offsets for the group. Confined to the owner thread.
 *
 * <p>When a commit is due, this class looks up the finished offsets and sends them. At most one commit is in flight. A
 * retry looks up the finished offsets again. The delay between retries increases.
 */
public final class OffsetCommits {

    private static final ConsumerLog LOG = ConsumerLog.of(OffsetCommits.class);
    private static final long MIN_BACKOFF_NANOS = Duration.ofMillis(100).toNanos();
    private static final long MAX_BACKOFF_NANOS = Duration.ofSeconds(5).toNanos();

    /** Timeout of the first attempt of a blocking commit. Each further attempt doubles the timeout. */
    private static final long FIRST_SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long ANSWER_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Timeout of a direct commit. It is short because the client must keep polling during a rebalance. */
    private static final long DIRECT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final Duration METADATA_WAIT = Duration.ofMillis(100);

    /** Maximum time for the last commit before partitions are given up. */
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

    private long retryNanos;

    /** Recreated topics that the client still knows by their old topic id. */
    private final Set<String> outdated = new HashSet<>();

    private boolean underWay;
    private long succeeded;
    private long failed;
    private @Nullable KafkaPipelineException fatal;

    /** @param direct sends commits that bypass Kafka's client */
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

    public void assigned(Collection<TopicPartition> ids) {
        gone.assigned(ids);
    }

    /** Starts a check for partitions that no longer exist; see {@link #isGone}. */
    public void lookForGone(Collection<TopicPartition> ids) {
        gone.ask(ids);
    }

    /** Returns whether the partition no longer exists. A commit that contains such a partition never completes. */
    public boolean isGone(TopicPartition id) {
        return gone.contains(id);
    }

    /** Reads the committed offsets of the partitions. Blocks for at most {@code nanos}. */
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, long nanos) {
        return texts.committed(ids, nanos);
    }

    /** Returns the time until {@link #commitIfDue} must be called again. */
    public long nanosUntilDue() {
        if (underWay) {
            return direct.isUnderWay() ? ANSWER_LOOK_NANOS : Long.MAX_VALUE;
        }
        return Math.max(0, dueNanos - clock.nanoTime());
    }

    /** Returns whether the delay after a failed commit has not passed yet. */
    public boolean isBackingOff() {
        return backoffNanos > 0 && clock.nanoTime() - retryNanos < 0;
    }

    long nanosUntilFree() {
        if (underWay) {
            return Long.MAX_VALUE;
        }
        return isBackingOff() ? retryNanos - clock.nanoTime() : 0;
    }

    /** Counts a successful commit and resets the retry delay. */
    void succeededAhead() {
        succeeded++;
        backoffNanos = 0;
    }

    /**
     * Sends the given offsets. A later poll calls {@code then} with true if they were committed. Call only if
     * {@link #nanosUntilFree} is 0.
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

    private void sendByClient(
            Map<TopicPartition, OffsetAndMetadata> offsets, java.util.function.Consumer<@Nullable Exception> then) {
        underWay = true;
        fetcher.awaitAnswer(true);
        // A client of the KIP-848 protocol does not report which offsets failed, so all count as failed.
        client.commitAsync(offsets, (same, failure) -> {
            underWay = false;
            fetcher.awaitAnswer(false);
            then.accept(failure);
        });
    }

    /** Makes the next commit due now, unless the last commit failed. */
    public void bringForward() {
        if (backoffNanos == 0) {
            dueNanos = clock.nanoTime();
        }
    }

    /** Throws the permanent failure of a commit, if there was one. */
    public void throwFatal() {
        if (fatal != null) {
            throw fatal;
        }
    }

    /** Commits finished offsets if a commit is due by time or record count. The response arrives in a later poll. */
    public void commitIfDue(List<AssignedPartition> assigned) {
        if (direct.isUnderWay()) {
            direct.poll();
        }
        if (underWay || !isDue(assigned)) {
            return;
        }
        dueNanos = clock.nanoTime() + intervalNanos;
        updateTopicIds(); // may block, so the finished offsets are looked up afterwards
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

    /** Closes the connections of direct commits. */
    public void close() {
        direct.close();
    }

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
        for (int i = 0; i < assigned.size(); i++) { // avoids allocating an iterator
            records += assigned.get(i).finishedSinceCommit();
        }
        return records >= recordsPerCommit;
    }

    /** Registers committed offsets, from this class or from a transaction. */
    public void committed(Collection<AssignedPartition> sent, Map<TopicPartition, OffsetAndMetadata> offsets) {
        succeeded++;
        backoffNanos = 0;
        // These partitions exist, even if a newly started broker reported them as missing.
        gone.assigned(offsets.keySet());
        for (AssignedPartition partition : sent) {
            OffsetAndMetadata offset = offsets.get(partition.id());
            // Ignore a commit that was sent before a seek or during an earlier assignment.
            if (offset != null && offset.offset() >= partition.committedOffset()) {
                partition.committed(offset.offset(), offset.metadata(), clock.nanoTime());
            }
        }
    }

    void retryLater(Map<TopicPartition, OffsetAndMetadata> offsets, Exception failure) {
        failed++;
        gone.ask(offsets.keySet());
        if (!isRetriable(failure)) {
            // Not thrown here, because this runs inside the client's poll.
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
     * Makes the client refresh its topic ids by querying a partition that does not exist. Otherwise, the client might
     * commit with the id of a deleted topic until {@code metadata.max.age.ms} has passed.
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

    /** Returns whether a later commit may succeed. */
    private static boolean isRetriable(Exception failure) {
        return failure instanceof RetriableException
                || failure instanceof RebalanceInProgressException
                || failure instanceof CommitFailedException
                || failure instanceof StaleMemberEpochException
                || failure instanceof WakeupException
                || (failure.getCause() instanceof RetriableException);
    }

    /** Counts a failed commit that another class sent. */
    public void failedElsewhere() {
        failed++;
    }

    /**
     * Returns the offsets for a transaction to commit, each with its complete finished set. Omits partitions that have
     * not changed since the last commit. Includes deleted partitions: their output must not be committed without their
     * offsets.
     *
     * @return null if the complete finished set of a partition does not fit into the commit metadata
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

    /**
     * Returns the offsets to commit, for partitions that have changed since the last commit. Omits partitions that no
     * longer exist or have no known position.
     */
    public Map<TopicPartition, OffsetAndMetadata> finished(Collection<AssignedPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> finished = HashMap.newHashMap(partitions.size());
        for (AssignedPartition partition : partitions) {
            boolean isOut = partition.isHeld() || gone.contains(partition.id());
            long offset = isOut ? AssignedPartition.UNKNOWN : finishedTo(partition);
            if (offset >= 0 && !isSettled(partition, offset)) {
                addIfNews(partition, texts.commit(partition, offset), finished);
            }
        }
        return finished;
    }

    private long finishedTo(AssignedPartition partition) {
        partition.advance();
        partition.beginCommit();
        long offset = committable(partition);
        return offset >= partition.committedOffset() ? offset : AssignedPartition.UNKNOWN;
    }

    /** Returns whether an earlier check found nothing to commit at this offset. */
    private boolean isSettled(AssignedPartition partition, long offset) {
        return isWhole(partition, offset) && partition.isSettledAt(offset, texts.version());
    }

    /** Returns whether a commit of {@code offset} covers every record read, and therefore needs no finished set. */
    private static boolean isWhole(AssignedPartition partition, long offset) {
        return partition.tracker().isIdle() && partition.finishedEarlier().isBefore(offset);
    }

    private void addIfNews(
            AssignedPartition partition, OffsetAndMetadata commit, Map<TopicPartition, OffsetAndMetadata> news) {
        if (commit.offset() > partition.committedOffset()
                || !CommitText.setOf(commit.metadata()).equals(CommitText.setOf(partition.committedMetadata()))) {
            news.put(partition.id(), commit);
        } else if (isWhole(partition, commit.offset())) {
            partition.settledAt(commit.offset(), texts.version());
        }
    }

    /**
     * Returns the offset to commit for a partition; negative if there is none. If every record is finished, returns the
     * client's position, which is past transaction markers.
     */
    private long committable(AssignedPartition partition) {
        long offset = partition.tracker().committableOffset();
        if (!partition.tracker().isIdle()) {
            return offset;
        }
        long position = fetcher.position(partition.id());
        if (position <= partition.firstDropped()) {
            partition.epochs().passed(position, fetcher.leaderEpoch(partition.id()));
        }
        return Math.max(offset, Math.min(position, partition.firstDropped()));
    }

    /**
     * Commits finished offsets before the consumer gives up these partitions. If a rebalance keeps the client from
     * committing, this method commits without the client.
     *
     * @throws RebalanceInProgressException if the client must poll first
     * @throws KafkaException if the commit failed or timed out; the work will then be repeated
     */
    public void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos) {
        long deadlineNanos = clock.nanoTime() + timeoutNanos;
        // Wait for a direct commit in flight. If it arrived after the commit below, it would restore older offsets.
        direct.await(Math.min(DIRECT_NANOS, timeoutNanos));
        Map<TopicPartition, OffsetAndMetadata> finished = finished(partitions);
        if (finished.isEmpty()) {
            return;
        }
        try {
            committed(partitions, commitExisting(finished, deadlineNanos));
        } catch (RebalanceInProgressException pollFirst) {
            // Not while the client has a commit in flight, which could arrive later and restore older offsets.
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
     * Commits the offsets and returns those committed. If the commit times out or a partition is unknown, tries again
     * without deleted partitions and recreated topics.
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

    void commitSync(Map<TopicPartition, OffsetAndMetadata> finished, long deadlineNanos) {
        while (true) {
            long left = Math.max(0, deadlineNanos - clock.nanoTime());
            try {
                client.commitSync(finished, Duration.ofNanos(left));
                return;
            } catch (WakeupException late) {
                // The wake-up was meant for a poll. Try again unless the time is up.
                if (left == 0) {
                    throw late;
                }
            }
        }
    }
}
