package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.member.ShareConsumerTuner.Look;
import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;

/**
 * The number of records that may be out at once where each ends for itself: a function of what was seen. Stateless.
 *
 * <p>By Little's law {@code workers + rate x round trip}, and as much again as is in flight; or what is done in a
 * twentieth of a second, if that is more, or in a tenth while that is few records: few large requests cost both sides
 * less than many small ones, and a hiccup does not reach the workers. It begins small, at most doubles,
 * and is bounded as {@link ShareConsumerTuner} is.
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

    /** Whole batches are asked for when so many of them fit the credits that one more does no harm. */
    private static final int BATCHES = 4;

    private CreditTuner() {}

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
        double wanted = Math.min(workers + Math.max(waiting, forLargeRequests), ShareConsumerTuner.most(look, workers));
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
}
