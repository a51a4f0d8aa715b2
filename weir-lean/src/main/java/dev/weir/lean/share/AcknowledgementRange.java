package dev.weir.lean.share;

import org.apache.kafka.clients.consumer.AcknowledgeType;

/**
 * An acknowledgement of consecutive offsets. Immutable.
 *
 * @param first the first offset
 * @param last the last offset, inclusive
 * @param type {@link #GAP}, or the id of an {@link AcknowledgeType}
 * @param records the number of records among the offsets; the other offsets are gaps in the log
 */
record AcknowledgementRange(long first, long last, byte type, int records) {

    /** The type of offsets without a record. */
    static final byte GAP = 0;

    static final byte ACCEPT = AcknowledgeType.ACCEPT.id;
    static final byte RELEASE = AcknowledgeType.RELEASE.id;
    static final byte REJECT = AcknowledgeType.REJECT.id;
    static final byte RENEW = AcknowledgeType.RENEW.id;

    /** Returns a part of this range, which must have no gaps. */
    AcknowledgementRange part(long from, long to) {
        return new AcknowledgementRange(from, to, type, Math.toIntExact(to - from + 1));
    }
}
