package dev.weir.lean.share;

import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** An acquired record, as seen by the code that manages its lock. Thread-safe. */
public interface LockedRecord {

    String topic();

    int partition();

    long offset();

    /**
     * Returns whether this object represents {@code record}, and not another record with the same topic name and
     * offset. Kafka's client returns the same object again after a renewal.
     */
    boolean isOf(ConsumerRecord<byte[], byte[]> record);

    /**
     * Marks the record as released, unless the pipeline has already taken it. Returns false if the pipeline has taken
     * it.
     */
    boolean giveBack();

    /**
     * Notes that the lock was lost, so the record may be delivered to another member. Returns false if the record's
     * outcome is already known.
     */
    boolean lose();

    /** Returns whether the record was released or lost. The outcome of such a record will never be known. */
    boolean isGone();

    /** Returns whether this is the last or second-to-last delivery that the group allows. */
    boolean isAtRisk();

    /**
     * Returns whether this is the last delivery. If the record is not accepted now, the group will not deliver it
     * again.
     */
    boolean isLastDelivery();

    /** Returns whether the pipeline may take the record. */
    boolean isOffered();

    /** Returns the outcome of the record's processing. Valid only after the processing has ended. */
    AcknowledgeType outcome();
}
