package dev.weir.kafka.internal.share.session;

import java.util.Collection;

/**
 * Divides a member's credits among its sessions. Sessions that find records get equal parts. The other sessions get a
 * small part, because they may find records again. Immutable.
 *
 * @param each the number of records that a session may request
 * @param probe the number of records that a session may request if its last fetch found nothing
 * @param threshold the number of free credits that justifies a request while no acknowledgement is pending
 */
record CreditDivision(int each, int probe, int threshold) {

    /** Divisor for a session's credits. A request is justified when this part of the credits is free. */
    private static final int WORTHWHILE = 4;

    /**
     * Divisor for the session's part of the credits beyond one per worker. If the result is larger than the result for
     * {@link #WORTHWHILE}, it replaces that result.
     */
    private static final int WORTHWHILE_OF_STORE = 2;

    /** Divisor for the credits of a session whose last fetch found nothing, while other sessions find records. */
    private static final int PROBE = 8;

    /**
     * Divides the credits. Cheap enough to be called in every turn.
     *
     * @param credits the number of records that may be outstanding at once
     * @param workers the number of records that are processed at once
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
