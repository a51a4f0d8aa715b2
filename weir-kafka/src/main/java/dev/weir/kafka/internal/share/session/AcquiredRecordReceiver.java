package dev.weir.kafka.internal.share.session;

import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;

/**
 * The other side of a member: gets what is acquired, says what is wanted. Called on the member's thread; must not
 * block.
 */
public interface AcquiredRecordReceiver {

    /** Returns whether more is wanted. */
    boolean hasDemand();

    /**
     * Returns whether nothing more will be wanted; waiting records go back, except last deliveries that may still be
     * taken.
     */
    boolean isEnded();

    /** Nobody takes anything any more. */
    boolean isOver();

    /** Returns whether brokers renew locks, as far as is known; if not, they stand for their time. */
    boolean renewsLocks();

    /**
     * Hands on a record. Any thread may report the end of the returned acquired record to {@link ShareMember#ended}.
     */
    LockedRecord receive(ConsumerRecord<byte[], byte[]> record);

    /** All records of an answer were acquired. */
    void acquiredAll();

    /** A fetch was answered. */
    void fetched(int records, long nanos, boolean idle);

    /** A quota made the broker throw an answer away, whose records were acquired. */
    void emptied();

    /** All of a range is done. */
    void finished(long nanosSinceAcquired);

    /** Records go back that nobody took in time. */
    void passedBy(int records);

    /** A record goes back, to be acquired again if the group has not given it up. */
    void goesBack(LockedRecord locked);

    /** Offsets of a batch that cannot be read are rejected; {@code to} is past the last. */
    void skipped(String topic, int partition, long from, long to);

    /** A lock is gone, and with it the record, unless its work had ended before. */
    void lost(LockedRecord locked);

    /** The broker took an acknowledgement. */
    void confirmed(AcknowledgeType type, int records, long nanos);

    /** The broker refused an acknowledgement: the records are delivered again, here or elsewhere. */
    void refused(String place, AcknowledgeType type, int records, String reason);

    /** The broker did not renew a lock: its records are delivered again if their handlers outlast it. */
    void notRenewed(String place, int records, String reason);

    /** Something that waiting does not cure. */
    void fatal(KafkaException fault);
}
