package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Commits as the delivery guarantee requires: after the work, ahead of it, or never. Confined to the owner thread,
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
     * @param ahead holds batches until their commit; null if they do not wait
     * @param wake wakes the owner thread
     * @param transactions commits instead, if offsets go into transactions; otherwise null
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

    /** Commits if it is time, or if the pipeline has capacity for batches that wait for their commit. */
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

    /** The time until {@link #commitIfDue} has something to do, unless the owner is woken earlier. */
    public long nanosUntilDue() {
        if (transactions != null) {
            return transactions.nanosUntilDue();
        }
        return committable || commits.isBackingOff() ? commits.nanosUntilDue() : Long.MAX_VALUE;
    }

    /**
     * Commits before partitions are given up: their finished prefix or, if commits go ahead, new positions that are not
     * committed yet.
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

    /** Reports that the group revokes these partitions, which are no longer assigned; {@link #commitNow} follows. */
    public void releasing(Collection<AssignedPartition> revoked) {
        if (transactions != null) {
            transactions.releasing(revoked);
        }
    }

    /** Performs due commits while the owner waits for work on revoked partitions. */
    public void serveRelease() {
        if (transactions != null) {
            transactions.commitIfDue();
        }
    }

    /** Returns whether all finished records emitted before are safely committed, so none must be read again. */
    public boolean isSettled() {
        return transactions == null || transactions.isSettled();
    }

    /** Reports that the topic of that name was recreated. */
    public void topicRecreated(String name) {
        if (transactions != null) {
            transactions.topicRecreated(name);
        }
    }

    /** Reports partitions lost without notice. */
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

    /** Reports a pause or resume by the user, which changes what may be committed ahead. Any thread. */
    public void pausesChanged() {
        if (ahead != null && ahead.wantsLook()) {
            wake.run();
        }
    }
}
