package dev.weir.kafka.internal.share.session;

import org.apache.kafka.clients.consumer.AcknowledgeType;

/** An acquired record, as seen by the code that manages its lock. Thread-safe. */
public interface LockedRecord {

    String topic();

    int partition();

    long offset();

    /** It goes back unseen; false if the pipeline has it. */
    boolean giveBack();

    /** Its lock is lost: somebody else may have it. False if its acknowledgement is known already. */
    boolean lose();

    /** Returns whether it went back or was lost, so that its outcome will never be known. */
    boolean isGone();

    /** Returns whether a delivery or two more and the group gives it up. */
    boolean isAtRisk();

    /** Returns whether the group gives it up if it is not accepted now. */
    boolean isLastDelivery();

    /** Returns whether the pipeline may take it. */
    boolean isOffered();

    /** The outcome of its work; of use once it has. */
    AcknowledgeType outcome();
}
