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
 * Commits offsets according to the delivery guarantee: after records are processed, in transactions, before records are
 * processed, or never. Confined to the owner thread, except for {@link #taken} and {@link #pausesChanged}.
 */
public abstract sealed class DeliveryCommits permits CommitsAfterWork, CommitsInTransactions, CommitAhead, NoCommits {

    final OffsetCommits commits;

    DeliveryCommits(OffsetCommits commits) {
        this.commits = commits;
    }

    /**
     * Creates the commits for a delivery guarantee.
     *
     * @param transactions commits offsets in transactions; null if offsets are committed without transactions
     * @param ahead creates commits for at-most-once delivery; its argument is the maximum number of records that are
     *     committed but not yet pulled
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

    /** Commits if a commit is due, or if the pipeline has capacity for waiting batches. */
    public final void commitIfDue(List<AssignedPartition> assigned) {
        commits.lookForGoneIfDue();
        commitDue(assigned);
    }

    abstract void commitDue(List<AssignedPartition> assigned);

    /** Returns the time until {@link #commitIfDue} must be called again, unless the owner thread is woken before. */
    public abstract long nanosUntilDue();

    /**
     * Commits finished work before partitions are released. With at-most-once delivery, commits only start positions.
     *
     * @throws org.apache.kafka.common.errors.RebalanceInProgressException if the client must poll first
     */
    public abstract void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos);

    /** Returns whether a partition's start offset is committed before its records are emitted. */
    public boolean commitsStarts() {
        return false;
    }

    /** Returns the gate that holds batches until they are committed; null if batches are not held. */
    public @Nullable CommitGate gate() {
        return null;
    }

    /** Returns the number of the partition's records that are waiting to be committed. */
    public int waitingRecords(AssignedPartition partition) {
        return 0;
    }

    /** Reports that the group revokes these partitions. {@link #commitNow} follows. */
    public void releasing(Collection<AssignedPartition> revoked) {}

    /** Makes due commits while the owner thread waits for work on revoked partitions. */
    public void serveRelease() {}

    /** Returns whether all finished records have been committed. */
    public boolean isSettled() {
        return true;
    }

    /** Reports that the topic {@code name} was recreated. */
    public void topicRecreated(String name) {}

    /** Reports that partitions were lost without a prior revocation. */
    public void lost() {}

    /** Reports that the pipeline has pulled a batch. May be called from any thread. */
    public void taken() {}

    /** Reports that the user has paused or resumed partitions. May be called from any thread. */
    public void pausesChanged() {}
}
