package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Commits according to the delivery guarantee: after the work, before it, or never. Confined to the owner thread,
 * except for {@link #taken} and {@link #pausesChanged}.
 */
public final class DeliveryCommits {

    private final boolean committable;
    private final OffsetCommits commits;
    private final @Nullable CommitAhead ahead;
    private final Runnable wake;
    private final @Nullable TransactionGate transactions;

    /**
     * Creates the commits of a consumer.
     *
     * @param committable whether finished work is committed
     * @param ahead holds batches until they are committed; null if batches are emitted without waiting for a commit
     * @param wake wakes the owner thread
     * @param transactions commits offsets in transactions; null if offsets are committed without transactions
     */
    public DeliveryCommits(
            boolean committable,
            OffsetCommits commits,
            @Nullable CommitAhead ahead,
            Runnable wake,
            @Nullable TransactionGate transactions) {
        this.committable = committable;
        this.commits = commits;
        this.ahead = ahead;
        this.wake = wake;
        this.transactions = transactions;
    }

    /** Commits if a commit is due, or if the pipeline has capacity for batches that wait for their commit. */
    public void commitIfDue(List<AssignedPartition> assigned) {
        commits.lookForGoneIfDue();
        if (transactions != null) {
            transactions.commitIfDue();
        } else if (committable) {
            commits.commitIfDue(assigned);
        } else if (ahead != null) {
            ahead.commit();
        }
    }

    /** Returns the time until {@link #commitIfDue} must be called again, unless the owner is woken earlier. */
    public long nanosUntilDue() {
        if (transactions != null) {
            return transactions.nanosUntilDue();
        }
        return committable || commits.isBackingOff() ? commits.nanosUntilDue() : Long.MAX_VALUE;
    }

    /**
     * Commits before partitions are given up: their finished prefix or, if offsets are committed before the work, new
     * positions that are not committed yet.
     *
     * @throws org.apache.kafka.common.errors.RebalanceInProgressException if the client must poll first
     */
    public void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos) {
        if (transactions != null) {
            transactions.commitNow(timeoutNanos);
        } else if (committable) {
            commits.commitNow(partitions, timeoutNanos);
        } else if (ahead != null) {
            ahead.commitPlaces(partitions, timeoutNanos);
        }
    }

    /**
     * Reports that the group revokes these partitions, which are no longer in the assignment. {@link #commitNow}
     * follows.
     */
    public void releasing(Collection<AssignedPartition> revoked) {
        if (transactions != null) {
            transactions.releasing(revoked);
        }
    }

    /** Makes due commits while the owner waits for work on revoked partitions. */
    public void serveRelease() {
        if (transactions != null) {
            transactions.commitIfDue();
        }
    }

    /**
     * Returns whether all finished records emitted so far are safely committed, so that none of them must be read
     * again.
     */
    public boolean isSettled() {
        return transactions == null || transactions.isSettled();
    }

    /** Reports that the topic {@code name} was recreated. */
    public void topicRecreated(String name) {
        if (transactions != null) {
            transactions.topicRecreated(name);
        }
    }

    /** Reports that partitions were lost without a prior revocation. */
    public void lost() {
        if (transactions != null) {
            transactions.lost();
        }
    }

    /** Reports that the pipeline has pulled a batch. Any thread. */
    public void taken() {
        if (ahead != null && ahead.wantsRoom()) {
            wake.run();
        }
    }

    /**
     * Reports that the user has paused or resumed partitions, which changes the batches that may be committed. Any
     * thread.
     */
    public void pausesChanged() {
        if (ahead != null && ahead.wantsLook()) {
            wake.run();
        }
    }
}
