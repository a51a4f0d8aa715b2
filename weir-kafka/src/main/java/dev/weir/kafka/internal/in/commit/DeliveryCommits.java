package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Commits as the delivery demands: behind the work, ahead of it, or never. Confined to the owner thread, but for {@link
 * #taken} and {@link #pausesChanged}.
 */
public final class DeliveryCommits {

    private final boolean committable;
    private final OffsetCommits commits;
    private final @Nullable CommitAhead ahead;
    private final Runnable wake;
    private final @Nullable TransactionGate transactions;

    /**
     * Creates what commits.
     *
     * @param committable whether finished work is committed
     * @param ahead where batches wait for their commit, if they do
     * @param wake wakes the owner thread
     * @param transactions what commits instead, if transactions do
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

    /** Commits if it is time, or if there is room in the pipeline for what waits for its commit. */
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

    /** The time for which {@link #commitIfDue} has nothing to do, unless the owner is woken. */
    public long nanosUntilDue() {
        if (transactions != null) {
            return transactions.nanosUntilDue();
        }
        return committable || commits.isBackingOff() ? commits.nanosUntilDue() : Long.MAX_VALUE;
    }

    /**
     * Commits before partitions are given up: what is finished of them or, where commits go ahead, where they were
     * placed and no commit has said so yet.
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

    /** The group takes these partitions away, which are not assigned any more; {@link #commitNow} follows. */
    public void releasing(Collection<AssignedPartition> revoked) {
        if (transactions != null) {
            transactions.releasing(revoked);
        }
    }

    /** Does what is due while the work on partitions that go is waited for. */
    public void serveRelease() {
        if (transactions != null) {
            transactions.commitIfDue();
        }
    }

    /** Returns whether nothing that was emitted before can have to be read again, as far as it is finished. */
    public boolean isSettled() {
        return transactions == null || transactions.isSettled();
    }

    /** A topic of that name is another one than it was. */
    public void topicRecreated(String name) {
        if (transactions != null) {
            transactions.topicRecreated(name);
        }
    }

    /** Partitions went without notice. */
    public void lost() {
        if (transactions != null) {
            transactions.lost();
        }
    }

    /** The pipeline has pulled a batch. Any thread. */
    public void taken() {
        if (ahead != null && ahead.wantsRoom()) {
            wake.run();
        }
    }

    /** A user has paused or resumed something: what may be committed ahead is something else now. Any thread. */
    public void pausesChanged() {
        if (ahead != null && ahead.wantsLook()) {
            wake.run();
        }
    }
}
