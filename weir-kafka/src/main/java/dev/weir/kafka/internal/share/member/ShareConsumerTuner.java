package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;

/**
 * The number of share consumers of what size a pipeline needs: a function of what was seen. Stateless.
 *
 * <p>It begins small and grows while the pipeline waits for records that are there: never from above, as members that
 * take much at once leave nothing for the others. A share consumer stands still for the time of its slowest record and
 * a round trip, so that by Little's law the credits of all share consumers are {@code rate x (round trip + round)}
 * (F5). The bounds: what is acquired must be done well within its lock (F8), and fit the window of locks beside the
 * other members (F2).
 */
final class ShareConsumerTuner {

    /** Share of the time that the pipeline waits for records below which there is nothing to gain. */
    private static final double STARVED = 0.02;

    /** The slack over what the formula asks for. */
    private static final double SLACK = 1.1;

    /** Factor by which a size must be off before share consumers are replaced. */
    private static final double OFF = 1.5;

    /** Whole batches are taken when so many records are done in a tenth of their lock. */
    private static final int LARGE_BATCH = 1_000;

    private static final double MAX_GROWTH = 2;

    /** The smallest part of the credits that is left where they become fewer. */
    private static final double MAX_SHRINK = 0.7;

    private ShareConsumerTuner() {}

    /**
     * The observations between two moments.
     *
     * @param seconds between them
     * @param settled records whose work ended
     * @param starvedShare share of the time in which the pipeline waited for a record
     * @param idleFetchShare share of the share consumers' time in which they asked in vain: nothing was there
     * @param noDemandShare share of the share consumers' time in which nobody wanted their records
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
            double noDemandShare,
            double roundTripSeconds,
            double roundSeconds,
            double lockSeconds,
            int locksPerPartition,
            int partitions) {

        double rate() {
            return settled / seconds;
        }
    }

    /** The first plan for so many workers. */
    static Plan first(int workers, int maxLanes) {
        int records = Math.clamp(Math.round(workers / 2.0), 1, 16);
        return new Plan(Math.min(2, maxLanes), records, AcquireMode.RECORD_LIMIT);
    }

    /** The next plan, after the look taken with the plan of {@code now}. */
    static Plan next(Plan now, Look look, int workers, int maxLanes) {
        if (look.settled == 0) {
            return now;
        }
        AcquireMode mode = mode(now, look);
        double most = most(look, workers);
        boolean busy = look.starvedShare < STARVED;
        if (busy && now.credits() > most * OFF) {
            // The work has become slow: what waits for it has its locks running.
            double fewer = Math.max(most, now.credits() * MAX_SHRINK);
            return plan(now, (int) fewer, maxLanes, mode);
        }
        if (busy || look.idleFetchShare > 0.5) {
            // Enough, or nothing more to be had. A share consumer that is not asked for most of the time is one too
            // many.
            boolean spare = look.noDemandShare > 0.5 && now.lanes() > 2;
            return new Plan(spare ? now.lanes() - 1 : now.lanes(), now.pollRecords(), mode);
        }
        double wanted = look.rate() * Math.min(MAX_GROWTH, 1 / Math.max(0.05, 1 - look.starvedShare));
        double byLittle = wanted * (look.roundTripSeconds + look.roundSeconds) * SLACK;
        double credits = Math.clamp(byLittle, now.credits() * 1.1, now.credits() * MAX_GROWTH);
        credits = Math.max(Math.min(credits, most), now.credits() * MAX_SHRINK);
        return plan(now, Math.max(1, (int) Math.ceil(credits)), maxLanes, mode);
    }

    /**
     * Bounds the records by lock time (F8), with one for each worker since work is renewed, and by the window of locks,
     * half of which is left to others (F2).
     */
    static double most(Look look, int workers) {
        double byLock = Math.max(workers, look.rate() * look.lockSeconds / 4);
        double byWindow = 0.5 * look.locksPerPartition * Math.max(1, look.partitions);
        return Math.max(2, Math.min(byLock, byWindow));
    }

    private static Plan plan(Plan now, int credits, int maxLanes, AcquireMode mode) {
        int lanes = Math.clamp(Math.round(Math.sqrt(credits)), Math.min(2, maxLanes), maxLanes);
        int records = Math.ceilDiv(credits, lanes);
        boolean keeps = records < now.pollRecords() * OFF && records * OFF > now.pollRecords();
        if (!keeps) {
            return new Plan(lanes, records, mode);
        }
        int more = Math.clamp(Math.ceilDiv(credits, now.pollRecords()), Math.min(2, maxLanes), maxLanes);
        // At the most share consumers only larger ones help.
        boolean full = more == maxLanes && more * now.pollRecords() < credits;
        return full ? new Plan(maxLanes, records, mode) : new Plan(more, now.pollRecords(), mode);
    }

    /** Back to single records only where the work is slow: where little is to be done, whole batches do no harm. */
    private static AcquireMode mode(Plan now, Look look) {
        double inATenth = look.rate() * look.lockSeconds / 10;
        if (inATenth > LARGE_BATCH) {
            return AcquireMode.BATCH_OPTIMIZED;
        }
        boolean slow = look.starvedShare < STARVED && inATenth * 2 < LARGE_BATCH;
        return slow ? AcquireMode.RECORD_LIMIT : now.mode();
    }
}
