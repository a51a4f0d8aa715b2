package dev.weir.lean.share;

import java.util.Collection;

/**
 * Divides a member's credits among its sessions. A credit is the permission to request one record. Sessions whose last
 * fetch returned records get equal parts. The other sessions may request a few records, enough to notice new ones.
 * Immutable.
 *
 * @param each the maximum number of records to request in a session
 * @param probe the maximum number of records to request in a session whose last fetch returned nothing
 * @param threshold the minimum number of free credits for a fetch while no acknowledgement is due
 */
record CreditDivision(int each, int probe, int threshold) {

    /** A session fetches only if at least a quarter of its credits are free. */
    private static final int WORTHWHILE = 4;

    /** A session fetches only if it can request half of its part of the reserve: the records beyond one per worker. */
    private static final int WORTHWHILE_OF_STORE = 2;

    /** Divisor for the credits of a session that finds no records while other sessions do. */
    private static final int PROBE = 8;

    /**
     * Divides the credits. Cheap enough for every turn.
     *
     * @param credits the maximum number of outstanding records
     * @param workers the number of records processed concurrently
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

    /** Returns the maximum number of records that a session may request. */
    int of(ShareSession session) {
        return session.foundNothing() ? probe : each;
    }
}
