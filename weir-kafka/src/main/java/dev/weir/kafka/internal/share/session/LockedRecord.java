package dev.weir.kafka.internal.share.session;

import org.apache.kafka.clients.consumer.AcknowledgeType;

/** An acquired record, as seen by the code that manages its lock. Thread-safe. */
public interface LockedRecord {

    String topic();

    int partition();

    long offset();

    /** Marks the record for release before the pipeline has taken it. Returns false if the pipeline has taken it. */
    boolean giveBack();

    /**
     * Notes that the lock is lost, so another member may have the record. Returns false if the acknowledgement is
     * already known.
     */
    boolean lose();

    /** Returns whether the record was released or lost, so that its outcome will never be known. */
    boolean isGone();

    /** Returns whether this is one of the last two deliveries, after which the group gives up the record. */
    boolean isAtRisk();

    /** Returns whether the group gives up the record unless it is accepted now. */
    boolean isLastDelivery();

    /** Returns whether the pipeline may take the record. */
    boolean isOffered();

    /** Returns the outcome of the record's processing. Valid only after the processing has ended. */
    AcknowledgeType outcome();
}
