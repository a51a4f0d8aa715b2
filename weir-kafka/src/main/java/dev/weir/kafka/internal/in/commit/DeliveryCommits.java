package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.CommitGate;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import java.util.Collection;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Commits according to the delivery guarantee: after the work, in transactions, ahead of the work, or never. Confined
 * to the owner thread, except for {@link #taken} and {@link #pausesChanged}.
 */
public abstract sealed class DeliveryCommits permits CommitsAfterWork, CommitsInTransactions, CommitAhead, NoCommits {

    final OffsetCommits commits;

    DeliveryCommits(OffsetCommits commits) {
        this.commits = commits;
    }

    /**
     * Creates the commits of a consumer.
     *
     * @param transactions commits offsets in transactions; null if offsets are committed without transactions
     * @param ahead creates commits that stay at most the given number of records ahead of the work
     */
    public static DeliveryCommits of(
            Delivery delivery,
            OffsetCommits commits,
            @Nullable TransactionGate transactions,
            IntFunction<CommitAhead> ahead) {
        return switch (delivery) {
            case Delivery.Committable committable ->
                transactions == null ? new CommitsAfterWork(commits) : new CommitsInTransactions(commits, transactions);
            case Delivery.AtMostOnce atMostOnce -> ahead.apply(atMostOnce.commitAhead());
            case Delivery.Plain plain -> new NoCommits(commits);
        };
    }

    /** Returns the delivery guarantee in words, for the log. */
    public abstract String guarantee();

    /**
     * Attaches the commits to a consumer. Must be called before any partition is assigned.
     *
     * @param reopen restarts the given partitions at the group's committed offsets
     */
    public void begin(
            Consumer<?, ?> client,
            PartitionAssignment assignment,
            java.util.function.Consumer<List<AssignedPartition>> reopen,
            OwnerThread owner,
            OwnerClock clock) {}

    /** Commits if a commit is due, or if the pipeline has capacity for batches that wait for their commit. */
    public final void commitIfDue(List<AssignedPartition> assigned) {
        commits.lookForGoneIfDue();
        commitDue(assigned);
    }

    abstract void commitDue(List<AssignedPartition> assigned);

    /** Returns the time until {@link #commitIfDue} must be called again, unless the owner is woken earlier. */
    public abstract long nanosUntilDue();

    /**
     * Commits before partitions are given up: their finished prefix or, if offsets are committed before the work, new
     * positions that are not committed yet.
     *
     * @throws org.apache.kafka.common.errors.RebalanceInProgressException if the client must poll first
     */
    public abstract void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos);

    /**
     * Returns whether the offset at which a partition starts must be committed by itself, before its records are
     * emitted.
     */
    public boolean commitsStarts() {
        return false;
    }

    /** Returns the gate in which batches wait for their commit; null if they are emitted without waiting. */
    public @Nullable CommitGate gate() {
        return null;
    }

    /** Returns how many records of the partition wait for their commit. */
    public int waitingRecords(AssignedPartition partition) {
        return 0;
    }

    /**
     * Reports that the group revokes these partitions, which are no longer in the assignment. {@link #commitNow}
     * follows.
     */
    public void releasing(Collection<AssignedPartition> revoked) {}

    /** Makes due commits while the owner waits for work on revoked partitions. */
    public void serveRelease() {}

    /**
     * Returns whether all finished records emitted so far are safely committed, so that none of them must be read
     * again.
     */
    public boolean isSettled() {
        return true;
    }

    /** Returns whether the work on a finished record may still be aborted. */
    public boolean mayAbort() {
        return false;
    }

    /** Reports that the topic {@code name} was recreated. */
    public void topicRecreated(String name) {}

    /** Reports that partitions were lost without a prior revocation. */
    public void lost() {}

    /** Reports that the pipeline has pulled a batch. Any thread. */
    public void taken() {}

    /**
     * Reports that the user has paused or resumed partitions, which changes the batches that may be committed. Any
     * thread.
     */
    public void pausesChanged() {}
}
