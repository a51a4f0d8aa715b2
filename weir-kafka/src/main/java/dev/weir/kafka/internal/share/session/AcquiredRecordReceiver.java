package dev.weir.kafka.internal.share.session;

import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;

/**
 * Receives the records that a member acquires, and tells the member whether more are wanted. Called on the member's
 * thread. Implementations must not block.
 */
public interface AcquiredRecordReceiver {

    /** Returns whether more records are wanted. */
    boolean hasDemand();

    /**
     * Returns whether no more records will be wanted. Waiting records are then released, except for last deliveries
     * that the pipeline may still take.
     */
    boolean isEnded();

    /** Returns whether the pipeline takes no records any more, not even last deliveries. */
    boolean isOver();

    /**
     * Returns whether the brokers renew locks, as far as is known. If they do not, a lock still lasts for its full
     * duration.
     */
    boolean renewsLocks();

    /**
     * Passes on an acquired record. Any thread may report the end of the returned record to {@link ShareMember#ended}.
     */
    LockedRecord receive(ConsumerRecord<byte[], byte[]> record);

    /** Reports that all acquired records of a response have been passed on. */
    void acquiredAll();

    /** Reports the response to a fetch. */
    void fetched(int records, long nanos, boolean idle);

    /** Reports that a quota made the broker discard a response after it had acquired the records. */
    void emptied();

    /** Reports that all records of a range are finished. */
    void finished(long nanosSinceAcquired);

    /** Reports that records are released because the pipeline did not take them in time. */
    void passedBy(int records);

    /** Reports that a record is released. It is acquired again unless the group has given it up. */
    void goesBack(LockedRecord locked);

    /** Reports that offsets of an unreadable batch are rejected; {@code to} is exclusive. */
    void skipped(String topic, int partition, long from, long to);

    /** Reports that a lock is gone. The record is lost with it, unless its processing had ended before. */
    void lost(LockedRecord locked);

    /** Reports that the broker processed an acknowledgement. */
    void confirmed(AcknowledgeType type, int records, long nanos);

    /**
     * Reports that the broker refused an acknowledgement. Its records are delivered again, to this or another member.
     */
    void refused(String place, AcknowledgeType type, int records, String reason);

    /**
     * Reports that the broker did not renew a lock. Its records are delivered again if their handlers outlast the lock.
     */
    void notRenewed(String place, int records, String reason);

    /** Reports a permanent error. */
    void fatal(KafkaException fault);
}
