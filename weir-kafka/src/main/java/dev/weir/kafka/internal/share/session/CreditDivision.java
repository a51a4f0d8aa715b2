package dev.weir.kafka.internal.share.session;

import java.util.Collection;

/**
 * Divides a member's credits among its sessions: evenly among the sessions that find records, with a small part for the
 * others, which may find some again. Immutable.
 *
 * @param each records that a session may request
 * @param probe the same for a session that found nothing the last time
 * @param threshold free credits that justify a request while no acknowledgement waits
 */
record CreditDivision(int each, int probe, int threshold) {

    /** The part of a session's credits that is worth a request: one in so many. */
    private static final int WORTHWHILE = 4;

    /** Factor for the records that wait beside the ones being worked on, if that is more. */
    private static final int WORTHWHILE_OF_STORE = 2;

    /** The part of a session that found nothing, while others do find something. */
    private static final int PROBE = 8;

    /**
     * Divides the credits again, which costs nothing.
     *
     * @param credits records that may be outstanding at once
     * @param workers number of them that are worked on at a time
     */
    static CreditDivision of(int credits, int workers, Collection<ShareSession> sessions) {
        int wanted = 0;
        int finding = 0;
        for (ShareSession session : sessions) {
            boolean isWanted = session.partitions.areWanted();
            wanted += isWanted ? 1 : 0;
            finding += isWanted && !session.foundNothing() ? 1 : 0;
        }
        int sharing = Math.max(1, finding == 0 ? wanted : finding);
        int each = Math.max(1, Math.ceilDiv(credits, sharing));
        int ofStore = Math.max(0, credits - workers) / WORTHWHILE_OF_STORE / sharing;
        int threshold = Math.max(1, Math.max(each / WORTHWHILE, ofStore));
        return new CreditDivision(each, finding == 0 ? each : Math.max(1, each / PROBE), threshold);
    }

    /** Returns the largest number of records that a session may request. */
    int of(ShareSession session) {
        return session.foundNothing() ? probe : each;
    }
}
