package dev.weir.kafka.internal.share.session;

import org.apache.kafka.clients.consumer.AcknowledgeType;

/**
 * The acknowledgement of neighbouring offsets. Immutable.
 *
 * @param first offset
 * @param last offset, included
 * @param type {@link #GAP}, or the id of an {@link AcknowledgeType}
 * @param records among the offsets; the others are gaps of the log
 */
record AcknowledgementRange(long first, long last, byte type, int records) {

    /** There is no record at these offsets. */
    static final byte GAP = 0;

    static final byte ACCEPT = AcknowledgeType.ACCEPT.id;
    static final byte RELEASE = AcknowledgeType.RELEASE.id;
    static final byte REJECT = AcknowledgeType.REJECT.id;
    static final byte RENEW = AcknowledgeType.RENEW.id;

    /** A part of one that has no gaps. */
    AcknowledgementRange part(long from, long to) {
        return new AcknowledgementRange(from, to, type, Math.toIntExact(to - from + 1));
    }
}
