package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;

/**
 * Calculates how many records a path may have acquired at once. The result depends only on the measurements. Stateless.
 *
 * <p>The limit is one record per worker plus a buffer, which keeps the workers busy during a fetch. By Little's law,
 * the number of records finished during a fetch is the rate times the round trip. The buffer is about twice that
 * number. It holds at least the records of a twentieth of a second, and up to a tenth of a second at a low rate.
 *
 * <p>The limit begins small and at most doubles per step. The pipeline must finish the acquired records well before
 * their locks expire (formula F8 of ADR 71), and some locks must be left for other members (F2).
 */
final class CreditTuner {

    private static final int FIRST = 16;
    private static final double STARVED = 0.01;
    private static final double MAX_GROWTH = 2;
    private static final double TOO_MANY = 1.5;
    private static final double ON_ITS_WAY = 2.2;

    /** Minimum size of the buffer, in seconds of work. */
    private static final double IN_STORE = 0.05;

    /** Size of the buffer at a low rate, in seconds of work, but at most two large requests. */
    private static final double LONG_STORE = 0.1;

    /** Number of records in a large request. Even larger requests hardly lower the cost per record. */
    private static final int LARGE_REQUEST = 600;

    /** Number of batches above which whole producer batches are requested. */
    private static final int BATCHES = 4;

    private CreditTuner() {}

    /**
     * Measurements between two points in time.
     *
     * @param seconds the time between the two points
     * @param settled the number of records whose processing ended
     * @param starvedShare the fraction of the time in which the pipeline waited for a record
     * @param idleFetchShare the fraction of the time in which fetches found no records
     * @param roundTripSeconds the mean time of a fetch that returned records
     * @param roundSeconds the mean time from the acquisition of a range until all of its records were finished
     * @param lockSeconds the time for which a record is acquired
     * @param locksPerPartition the number of records of a partition that may be acquired at once
     * @param partitions the number of partitions of the topics
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
     * Returns the limits that replace {@code now}.
     *
     * @param roundTripSeconds the time of the slowest recent fetch
     * @param batchRecords the mean number of records in a producer batch; 0 if unknown
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
     * Returns the maximum number of records: as many as are finished in a quarter of the lock's duration, but at least
     * one per worker (formula F8 of ADR 71). At most half of all locks are used (F2).
     */
    private static double most(Look look, int workers) {
        double byLock = Math.max(workers, look.rate() * look.lockSeconds / 4);
        double byWindow = 0.5 * look.locksPerPartition * Math.max(1, look.partitions);
        return Math.max(2, Math.min(byLock, byWindow));
    }
}
