package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the group's committed offsets to what is finished. Confined to the owner thread.
 *
 * <p>A commit is a desired state, not a message: what is finished is looked up when a commit is due, at most one is under
 * way, and after a failure the state of that later moment is sent, with a growing delay. So a retriable failure costs
 * nothing but repetition after a crash, and a commit can never move backwards.
 */
final class Commits {

    private static final Logger LOG = LoggerFactory.getLogger(Commits.class);
    private static final long MIN_BACKOFF_NANOS = Duration.ofMillis(100).toNanos();
    private static final long MAX_BACKOFF_NANOS = Duration.ofSeconds(5).toNanos();

    /** How long a commit that must not be left to chance may take. */
    private static final Duration SYNC_TIMEOUT = Duration.ofSeconds(10);

    private final Consumer<?, ?> client;
    private final Map<TopicPartition, AssignedPartition> assignment;
    private final long intervalNanos;
    private final int recordsPerCommit;

    private long dueNanos;
    private long backoffNanos;
    private boolean underWay;
    private int advancedRecords;
    private long succeeded;
    private long failed;
    private @Nullable KafkaPipelineException fatal;

    Commits(Consumer<?, ?> client, Map<TopicPartition, AssignedPartition> assignment, ConsumerSettings<?, ?> settings) {
        this.client = client;
        this.assignment = assignment;
        this.intervalNanos = settings.commitInterval().toNanos();
        this.recordsPerCommit = settings.commitRecords();
        this.dueNanos = System.nanoTime() + intervalNanos;
    }

    long succeeded() {
        return succeeded;
    }

    long failed() {
        return failed;
    }

    /** When {@link #commitIfDue} next has something to look at, in {@link System#nanoTime}. */
    long dueNanos() {
        return dueNanos;
    }

    /** Counts finished records, so that many of them bring the commit forward. */
    void advanced(int records) {
        advancedRecords += records;
        if (advancedRecords >= recordsPerCommit && backoffNanos == 0) {
            dueNanos = Math.min(dueNanos, System.nanoTime());
        }
    }

    /** Throws what made a commit fail for good. */
    void throwFatal() {
        if (fatal != null) {
            throw fatal;
        }
    }

    /** Sends what is finished if the time or the count has come. The answer arrives in a later poll. */
    void commitIfDue() {
        long now = System.nanoTime();
        if (underWay || now - dueNanos < 0) {
            return;
        }
        dueNanos = now + intervalNanos;
        advancedRecords = 0;
        Map<TopicPartition, OffsetAndMetadata> finished = finished(assignment.values());
        if (finished.isEmpty()) {
            return;
        }
        underWay = true;
        client.commitAsync(finished, (offsets, failure) -> {
            underWay = false;
            if (failure == null) {
                committed(offsets);
            } else {
                retryLater(offsets, failure);
            }
        });
    }

    private void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        succeeded++;
        backoffNanos = 0;
        offsets.forEach((id, offset) -> {
            AssignedPartition partition = assignment.get(id);
            if (partition != null) {
                // An answer to a commit of an earlier assignment must not hide what this one has yet to commit.
                partition.committedOffset = Math.max(partition.committedOffset, offset.offset());
            }
        });
    }

    private void retryLater(Map<TopicPartition, OffsetAndMetadata> offsets, Exception failure) {
        failed++;
        if (!isRetriable(failure)) {
            // Not thrown here: this runs inside the client's poll.
            fatal = new KafkaPipelineException("cannot commit " + offsets + ": " + failure.getMessage(), failure);
        }
        backoffNanos = Math.clamp(backoffNanos * 2, MIN_BACKOFF_NANOS, MAX_BACKOFF_NANOS);
        dueNanos = System.nanoTime() + backoffNanos;
        LOG.warn("commit of {} failed, next try in {} ms: {}", offsets, backoffNanos / 1_000_000, failure.toString());
    }

    /** A member that was expelled learns so here first; its next poll takes the partitions away and joins again. */
    private static boolean isRetriable(Exception failure) {
        return failure instanceof RetriableException
                || failure instanceof RebalanceInProgressException
                || failure instanceof CommitFailedException
                || failure instanceof WakeupException
                || (failure.getCause() instanceof RetriableException);
    }

    /** The offsets of partitions in which more is finished than was committed. */
    private Map<TopicPartition, OffsetAndMetadata> finished(Collection<AssignedPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> finished = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            partition.tracker.advance();
            long offset = committable(partition);
            if (offset > partition.committedOffset) {
                finished.put(partition.id, new OffsetAndMetadata(offset));
            }
        }
        return finished;
    }

    /**
     * With everything finished that is the client's position, which is past transaction markers at the end of the log,
     * so that the lag of an idle group is zero.
     */
    private long committable(AssignedPartition partition) {
        long offset = partition.tracker.committableOffset();
        if (offset < 0 || !partition.tracker.isIdle() || partition.tracker.isSealed()) {
            return offset;
        }
        try {
            long position = client.position(partition.id, Duration.ZERO);
            return Math.max(offset, Math.min(position, partition.endOffset));
        } catch (TimeoutException | IllegalStateException ignored) {
            // No valid position at the moment (leader change, reset under way): what was seen is enough for now.
            return offset;
        }
    }

    /**
     * Commits what is finished in the given partitions before they are given up.
     *
     * @return what could not be committed, in words, or an empty string
     */
    String commitNow(Collection<AssignedPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> finished = finished(partitions);
        if (finished.isEmpty()) {
            return "";
        }
        try {
            commitSync(finished);
            committed(finished);
            return "";
        } catch (KafkaException failure) {
            failed++;
            LOG.warn("last commit of {} failed: {}", finished, failure.toString());
            return "finished work up to " + finished + " is not committed and will be repeated: "
                    + failure.getMessage();
        }
    }

    private void commitSync(Map<TopicPartition, OffsetAndMetadata> finished) {
        try {
            client.commitSync(finished, SYNC_TIMEOUT);
        } catch (WakeupException late) {
            // Meant for the poll before; the second try has no such excuse.
            client.commitSync(finished, SYNC_TIMEOUT);
        }
    }
}
