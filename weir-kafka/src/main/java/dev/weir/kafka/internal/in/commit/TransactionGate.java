package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;

/** Commits finished work by transactions, with the records that were made of it. Confined to the owner thread. */
public interface TransactionGate {

    /**
     * Belongs to a consumer from now on; before anything is assigned.
     *
     * @param reopen lets partitions that were begun anew go on where the group has committed
     */
    void begin(
            Consumer<?, ?> client,
            OffsetCommits commits,
            PartitionAssignment assignment,
            java.util.function.Consumer<List<AssignedPartition>> reopen,
            OwnerThread owner,
            OwnerClock clock);

    /** Closes the open transaction if it is time, and takes up what became of earlier ones. Never waits. */
    void commitIfDue();

    /** The time for which {@link #commitIfDue} has nothing to do, unless the owner is woken. */
    long nanosUntilDue();

    /** The group takes these partitions, until {@link #commitNow} what is finished of them is committed as well. */
    void releasing(Collection<AssignedPartition> revoked);

    /**
     * Commits what is finished and waits for that.
     *
     * @throws KafkaException if it was not done in time; what is not committed then is repeated, and never visible
     */
    void commitNow(long timeoutNanos);

    /** Returns whether no transaction is open that could be committed now, or have its inputs read again. */
    boolean isSettled();

    /** A topic of that name is another one than it was: what commits by its id has to learn the new one. */
    void topicRecreated(String name);

    /** Partitions went without notice: what was written for them must not become visible. */
    void lost();
}
