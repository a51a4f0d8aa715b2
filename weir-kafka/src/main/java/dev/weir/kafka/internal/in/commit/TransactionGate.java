package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;

/** Commits finished work and its output in transactions. Confined to the owner thread. */
public interface TransactionGate {

    /**
     * Attaches the gate to a consumer. Must be called before any partition is assigned.
     *
     * @param reopen restarts the given partitions at the group's committed offsets
     */
    void begin(
            Consumer<?, ?> client,
            OffsetCommits commits,
            PartitionAssignment assignment,
            java.util.function.Consumer<List<AssignedPartition>> reopen,
            OwnerThread owner,
            OwnerClock clock);

    /** Ends the open transaction if it is due, and processes the outcomes of earlier transactions. Does not block. */
    void commitIfDue();

    /** Returns the time until {@link #commitIfDue} must be called again, unless the owner thread is woken before. */
    long nanosUntilDue();

    /** Reports that the group revokes partitions. The next {@link #commitNow} also commits their finished work. */
    void releasing(Collection<AssignedPartition> revoked);

    /**
     * Commits the finished work and waits for the outcome.
     *
     * @throws KafkaException if the outcome did not arrive in time; uncommitted work is repeated, and its output never
     *     becomes visible
     */
    void commitNow(long timeoutNanos);

    /** Returns whether every transaction has completed. */
    boolean isSettled();

    /** Reports that the topic {@code name} was recreated and has a new topic id. */
    void topicRecreated(String name);

    /**
     * Reports that partitions were lost without being revoked first. The output of their records must not become
     * visible.
     */
    void lost();
}
