package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;

/** Commits finished work in transactions, together with the output produced from it. Confined to the owner thread. */
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

    /** Ends the open transaction if it is due, and processes the outcomes of earlier transactions. Never waits. */
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

    /**
     * Returns whether every transaction has completed. An incomplete transaction may still fail, and its input would
     * then have to be read again.
     */
    boolean isSettled();

    /** Reports that the topic {@code name} was recreated, so that commits by topic id use the new id. */
    void topicRecreated(String name);

    /**
     * Reports that partitions were lost without being revoked first. Output produced from their records must not become
     * visible.
     */
    void lost();
}
