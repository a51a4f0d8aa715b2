package dev.weir.kafka.internal.share.member;

import org.apache.kafka.clients.consumer.AcknowledgeType;

/** The acknowledgement of a record to its share group. */
public enum RecordAcknowledgement {
    /** Accepts the record as processed. */
    ACCEPT(AcknowledgeType.ACCEPT),
    /** Releases the record for another delivery, unless this was its last. */
    RELEASE(AcknowledgeType.RELEASE),
    /** Rejects the record. No member receives it again. */
    REJECT(AcknowledgeType.REJECT);

    private final AcknowledgeType type;

    RecordAcknowledgement(AcknowledgeType type) {
        this.type = type;
    }

    AcknowledgeType type() {
        return type;
    }

    /** Combines two acknowledgements. RELEASE takes precedence over REJECT, and REJECT over ACCEPT. */
    RecordAcknowledgement and(RecordAcknowledgement other) {
        if (this == RELEASE || other == RELEASE) {
            return RELEASE;
        }
        return this == REJECT ? this : other;
    }
}
