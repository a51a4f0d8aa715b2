package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;

/**
 * The number of records that may be out at once where each ends for itself: a function of what was seen. Stateless.
 *
 * <p>By Little's law {@code workers + rate x round trip}, and as much again as is in flight; or what is done in a
 * twentieth of a second, if that is more, or in a tenth while that is few records: few large requests cost both sides
 * less than many small ones, and a hiccup does not reach the workers. It begins small and at most doubles, as members
 * that take much at once leave nothing for the others. The bounds: what is acquired must be done well within its lock
 * (F8), and fit the window of locks beside the other members (F2).
 */
final class CreditTuner {

    private static final int FIRST = 16;
    private static final double STARVED = 0.01;
    private static final double MAX_GROWTH = 2;
    private static final double TOO_MANY = 1.5;
    private static final double ON_ITS_WAY = 2.2;

    /** The work that waits in the process, in seconds, as long as there is a backlog. */
    private static final double IN_STORE = 0.05;

    /** The same as long as half of that is less than a large request. */
    private static final double LONG_STORE = 0.1;

    /** A request for so many records costs hardly more for each of them than one for more. */
    private static final int LARGE_REQUEST = 600;

    /** Number of batches that must fit the credits before whole batches are requested: one more does no harm then. */
    private static final int BATCHES = 4;

    private CreditTuner() {}

    /**
     * The observations between two moments.
     *
     * @param seconds between them
     * @param settled records whose work ended
     * @param starvedShare share of the time in which the pipeline waited for a record
     * @param idleFetchShare share of the time in which the path asked in vain: nothing was there
     * @param roundTripSeconds mean time of a fetch that brought records
     * @param roundSeconds mean time from there until all of them were done
     * @param lockSeconds for which a record is acquired
     * @param locksPerPartition records that may be acquired of a partition at once
     * @param partitions of the topics
     */
    record Look(
            double seconds,
            long settled,
            double starvedShare,
            double idleFetchShare,
            double roundTripSeconds,
            double roundSeconds,
            double lockSeconds,
            int locksPerPartition,
            int partitions) {

        double rate() {
            return settled / seconds;
        }
    }

    static Plan first(int workers) {
        return new Plan(1, Math.min(FIRST, workers), AcquireMode.RECORD_LIMIT);
    }

    /**
     * @param roundTripSeconds from a request to its records: of the slowest, lately
     * @param batchRecords mean size of a producer's batch; 0 if it is not known
     */
    static Plan next(Plan now, Look look, int workers, double roundTripSeconds, double batchRecords) {
        if (look.settled() == 0) {
            return now;
        }
        boolean starves = look.starvedShare() >= STARVED && look.idleFetchShare() <= 0.5;
        double rate = starves ? look.rate() / Math.max(0.5, 1 - look.starvedShare()) : look.rate();
        double waiting = rate * Math.max(IN_STORE, roundTripSeconds * ON_ITS_WAY);
        double forLargeRequests = Math.min(rate * LONG_STORE, 2 * LARGE_REQUEST);
        double wanted = Math.min(workers + Math.max(waiting, forLargeRequests), most(look, workers));
        double credits = now.credits();
        if (starves && wanted > credits) {
            credits = Math.min(wanted, credits * MAX_GROWTH);
        } else if (credits > wanted * TOO_MANY) {
            credits = wanted;
        }
        int whole = Math.max(1, (int) Math.ceil(credits));
        boolean batches = batchRecords > 0 && whole > BATCHES * batchRecords;
        return new Plan(1, whole, batches ? AcquireMode.BATCH_OPTIMIZED : AcquireMode.RECORD_LIMIT);
    }

    /**
     * Bounds the records by lock time (F8), with one for each worker since work is renewed, and by the window of locks,
     * leaving half of it to others (F2).
     */
    private static double most(Look look, int workers) {
        double byLock = Math.max(workers, look.rate() * look.lockSeconds / 4);
        double byWindow = 0.5 * look.locksPerPartition * Math.max(1, look.partitions);
        return Math.max(2, Math.min(byLock, byWindow));
    }
}
