package dev.weir.lean.share;

import java.util.Collection;

/**
 * Divides a member's credits among its sessions. A credit is the permission to request one record. Sessions whose last
 * fetch returned records get equal parts. The other sessions may request a few records, enough to notice new ones.
 * Immutable.
 *
 * <p>A broker fills a fetch from one partition after another, and starts with the next partition in each request of the
 * session ({@code PartitionRotateStrategy} of Kafka 4.4). With a backlog, a single partition fills the fetch. A session
 * with many partitions then requests fewer records at a time, so that each partition is read about once per second.
 *
 * @param each the maximum number of records to request in a session
 * @param probe the maximum number of records to request in a session whose last fetch returned nothing
 * @param threshold the minimum number of free credits for a fetch while no acknowledgement is due
 * @param rate the approximate number of records per second that a session must deliver; 0 if unknown
 * @param least the minimum number of records to request in a session with a backlog
 */
record CreditDivision(int each, int probe, int threshold, double rate, int least) {

    /** A session fetches only if at least a quarter of its credits are free. */
    private static final int WORTHWHILE = 4;

    /** A session fetches only if it can request half of its part of the reserve: the records beyond one per worker. */
    private static final int WORTHWHILE_OF_STORE = 2;

    /** Divisor for the credits of a session that finds no records while other sessions do. */
    private static final int PROBE = 8;

    /** Duration for which the reserve lasts, as {@link ShareMember#plan} requires. */
    private static final double RESERVE_SECONDS = 0.1;

    /** Target time for reading each partition of a session once. */
    private static final double ROUND_SECONDS = 1;

    /** A fetch requests at least as many records as are finished during this number of round trips. */
    private static final int ROUND_TRIPS = 3;

    /**
     * Divides the credits. Cheap enough for every turn.
     *
     * @param credits the maximum number of outstanding records
     * @param workers the number of records processed concurrently
     * @param batchRecords the mean size of a producer batch, in records
     */
    static CreditDivision of(int credits, int workers, double batchRecords, Collection<ShareSession> sessions) {
        int wanted = 0;
        int finding = 0;
        for (ShareSession session : sessions) {
            boolean isWanted = session.partitions.areWanted();
            wanted += isWanted ? 1 : 0;
            finding += isWanted && !session.foundNothing() ? 1 : 0;
        }
        int sharing = Math.max(1, finding == 0 ? wanted : finding);
        int each = Math.max(1, Math.ceilDiv(credits, sharing));
        int reserve = Math.max(0, credits - workers);
        int threshold = Math.max(1, Math.max(each / WORTHWHILE, reserve / WORTHWHILE_OF_STORE / sharing));
        return new CreditDivision(
                each,
                finding == 0 ? each : Math.max(1, each / PROBE),
                threshold,
                reserve / RESERVE_SECONDS / sharing,
                (int) Math.clamp(batchRecords, 1, threshold));
    }

    /** Returns the maximum number of records that a session may request. */
    int of(ShareSession session) {
        if (session.foundNothing()) {
            return probe;
        }
        if (!session.hasBacklog() || rate == 0) {
            return each;
        }
        double seconds =
                Math.max(ROUND_SECONDS / session.partitions.wanted(), ROUND_TRIPS * session.roundTripNanos() / 1e9);
        return (int) Math.clamp(rate * seconds, Math.min(least, each), each);
    }
}
