package dev.weir.lean.share;

import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Receives the records that a member acquires, and tells the member whether more are wanted. Called on the member's
 * thread. Implementations must not block.
 */
public interface AcquiredRecordReceiver {

    /** Returns whether more records are wanted. */
    boolean hasDemand();

    /**
     * Returns whether the pipeline has stopped requesting records. If so, the member releases the records that still
     * wait for the pipeline. It keeps records in their last delivery as long as the pipeline may still take them.
     */
    boolean isEnded();

    /** Returns whether the pipeline takes no more records, not even records in their last delivery. */
    boolean isOver();

    /**
     * Returns whether the brokers renew locks, according to the group's configuration as last read. Without renewals, a
     * lock expires after its normal duration.
     */
    boolean renewsLocks();

    /**
     * Passes an acquired record to the pipeline. When the processing of the returned {@link LockedRecord} has ended,
     * any thread may report this to {@link ShareMember#ended}.
     */
    LockedRecord receive(ConsumerRecord<byte[], byte[]> record);

    /**
     * Decides what happens to a batch that is corrupt or too large. If this method returns true, the member rejects the
     * acquired offsets of the batch. If it returns false, the member passes them on as one record, with {@link
     * #receiveUnreadable}. The member does not catch exceptions of this method.
     *
     * @param baseOffset the offset in the batch's header
     * @param fault names the batch and the reason why it cannot be read
     */
    boolean skipsUnreadable(TopicPartition partition, long baseOffset, KafkaException fault);

    /**
     * Passes an unreadable batch to the pipeline as one record. All acquired offsets of the batch are acknowledged like
     * this record.
     *
     * @param offset the first acquired offset of the batch
     * @param nextOffset the offset after the batch
     * @param bytes the batch as stored by the broker
     */
    LockedRecord receiveUnreadable(
            TopicPartition partition,
            long offset,
            long nextOffset,
            byte[] bytes,
            KafkaException fault,
            short deliveryCount);

    /**
     * Returns the exception to throw if a batch in a response has no valid end. Later batches cannot be found then.
     *
     * @param offset the first offset that could not be read
     */
    RuntimeException corrupt(TopicPartition partition, long offset, String reason);

    /** Reports that all acquired records of a response have been passed on. */
    void acquiredAll();

    /** Reports the response to a fetch. */
    void fetched(int records, long nanos, boolean idle);

    /**
     * Reports a delayed response without records. A quota may have made the broker discard the records, although it had
     * acquired them.
     */
    void emptied();

    /** Reports that all records of a range are finished. */
    void finished(long nanosSinceAcquired);

    /** Reports that records are released because the pipeline did not take them in time. */
    void passedBy(int records);

    /** Reports that a record is released. It is delivered again unless it has reached the group's delivery limit. */
    void goesBack(LockedRecord locked);

    /** Reports that offsets of an unreadable batch are rejected; {@code to} is exclusive. */
    void skipped(String topic, int partition, long from, long to);

    /** Reports that a record's lock is gone. The record counts as lost unless it was already finished. */
    void lost(LockedRecord locked);

    /** Reports that the broker processed an acknowledgement. */
    void confirmed(AcknowledgeType type, int records, long nanos);

    /**
     * Reports that the broker refused an acknowledgement. Its records are delivered again, to this or another member.
     */
    void refused(String place, AcknowledgeType type, int records, String reason);

    /**
     * Reports that the broker did not renew a lock. The lock's records are delivered again if they are not finished
     * before it expires.
     */
    void notRenewed(String place, int records, String reason);

    /** Reports a permanent error. */
    void fatal(KafkaException fault);
}
