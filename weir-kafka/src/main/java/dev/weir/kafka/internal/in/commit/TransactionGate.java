package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;

/** Commits finished work in transactions, together with the records made from it. Confined to the owner thread. */
public interface TransactionGate {

    /**
     * Attaches the gate to a consumer, before anything is assigned.
     *
     * @param reopen makes restarted partitions continue at the group's committed offset
     */
    void begin(
            Consumer<?, ?> client,
            OffsetCommits commits,
            PartitionAssignment assignment,
            java.util.function.Consumer<List<AssignedPartition>> reopen,
            OwnerThread owner,
            OwnerClock clock);

    /** Closes the open transaction if it is time, and processes the outcomes of earlier ones. Never waits. */
    void commitIfDue();

    /** The time until {@link #commitIfDue} has something to do, unless the owner is woken. */
    long nanosUntilDue();

    /** Reports that the group revokes these partitions; {@link #commitNow} also commits their finished work. */
    void releasing(Collection<AssignedPartition> revoked);

    /**
     * Commits the finished work and waits for that.
     *
     * @throws KafkaException if that timed out; uncommitted work is repeated, and its output never becomes visible
     */
    void commitNow(long timeoutNanos);

    /** Returns whether no open transaction could still be committed, or have its inputs read again. */
    boolean isSettled();

    /** Reports that the topic of that name was recreated: commits by topic id need the new one. */
    void topicRecreated(String name);

    /** Reports partitions lost without notice: output of their records must not become visible. */
    void lost();
}
