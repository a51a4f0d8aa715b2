package dev.weir.kafka.internal.share.member;

import org.apache.kafka.clients.consumer.AcknowledgeType;

/** The acknowledgement of a record to its share group. */
public enum RecordAcknowledgement {
    /** The work is done. */
    ACCEPT(AcknowledgeType.ACCEPT),
    /** Releases the record for another delivery, unless this was the last. */
    RELEASE(AcknowledgeType.RELEASE),
    /** Nobody is to see it again. */
    REJECT(AcknowledgeType.REJECT);

    private final AcknowledgeType type;

    RecordAcknowledgement(AcknowledgeType type) {
        this.type = type;
    }

    AcknowledgeType type() {
        return type;
    }

    /**
     * The combined acknowledgement of two that end one record: a record that either of them released is neither
     * rejected nor accepted.
     */
    RecordAcknowledgement and(RecordAcknowledgement other) {
        if (this == RELEASE || other == RELEASE) {
            return RELEASE;
        }
        return this == REJECT ? this : other;
    }
}
