package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.ShareHandle.Limit;
import dev.weir.kafka.internal.share.member.CreditTuner.Look;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import java.util.Locale;

/** Determines what limits the rate of a share group member. The result depends only on the measurements. Stateless. */
final class ShareLimits {

    private static final double BUSY = 0.95;
    private static final double STARVED = 0.02;
    private static final double FULL_WINDOW = 0.9;
    private static final double MOSTLY = 0.5;
    private static final double SLOW_STATE_SECONDS = 0.1;

    private ShareLimits() {}

    /**
     * Measurements that {@link Look} does not contain.
     *
     * @param workers the number of workers of the pipeline
     * @param inHand the mean number of records that the pipeline has taken but not finished
     * @param span the largest number of offsets between the first unfinished and the last acquired record of a
     *     partition, inclusive
     * @param fullShare the fraction of measurements in which the span used up almost all locks of its partition
     * @param lag the number of records not yet delivered to the group, or -1 if unknown
     * @param acknowledgementSeconds the mean time until an acknowledgement was confirmed
     * @param slowestSeconds the longest time that the pipeline recently held a record
     */
    record Surroundings(
            int workers,
            double inHand,
            long span,
            double fullShare,
            long lag,
            double acknowledgementSeconds,
            double slowestSeconds) {}

    /** Returns whether a range of this many offsets uses up almost all locks of its partition. */
    static boolean isFull(long span, int locks) {
        return span >= FULL_WINDOW * locks;
    }

    /**
     * Returns the first of these limits that applies: the window of locks, nothing to read, workers, writes of the
     * group's state, fetch lock, credits. The window is checked before the workers, because workers may look busy
     * behind a full window.
     */
    static Limit of(Look look, Surroundings around, Plan plan, boolean tuned) {
        double perPartition = look.rate() / Math.max(1, look.partitions());
        boolean waits = look.starvedShare() > STARVED;
        boolean busy = around.inHand >= BUSY * around.workers;
        if (look.starvedShare() >= MOSTLY && around.fullShare >= MOSTLY) {
            return window(look, around, perPartition);
        }
        if (around.lag == 0 || look.idleFetchShare() > 0.5) {
            return Limit.of(
                    "arrival", "records", "all available records are done: the pipeline waits for more", "nothing", 1);
        }
        if (busy || !waits) {
            return Limit.of(
                    "share-workers",
                    around.workers + " workers",
                    String.format(
                            Locale.ROOT, "all %d workers are busy at %.0f records/s", around.workers, look.rate()),
                    "more workers (--concurrency), as long as what they call holds out",
                    2);
        }
        double gain = 1 / Math.max(0.05, 1 - look.starvedShare());
        if (around.acknowledgementSeconds > SLOW_STATE_SECONDS && around.acknowledgementSeconds > look.roundSeconds()) {
            return Limit.of(
                    "share-state",
                    "__share_group_state",
                    String.format(
                            Locale.ROOT,
                            "the brokers take %.0f ms to write down an acknowledgement",
                            around.acknowledgementSeconds * 1000),
                    "faster replicas of __share_group_state, or more of its partitions",
                    gain);
        }
        return fetching(look, around, plan, tuned, gain);
    }

    private static Limit window(Look look, Surroundings around, double perPartition) {
        // The window must have room for all records that arrive while a partition's slowest record is unfinished
        // (formula F3 of ADR 71).
        double gain = Math.max(1, around.workers / Math.max(0.05 * around.workers, around.inHand));
        long needed = Math.max(look.locksPerPartition() * 3L / 2, (long)
                Math.ceil(gain * perPartition * (look.roundTripSeconds() + around.slowestSeconds)));
        return Limit.of(
                "share-window",
                look.locksPerPartition() + " locks of a partition",
                String.format(
                        Locale.ROOT,
                        "a slow record holds the window of locks: %d of %d offsets of a partition are taken, the slowest took"
                                + " %.2f s",
                        around.span,
                        look.locksPerPartition(),
                        around.slowestSeconds),
                String.format(
                        Locale.ROOT,
                        "share.partition.max.record.locks of %d for the group (brokers allow up to 10,000, as"
                                + " group.share.max.partition.max.record.locks says), or %d partitions",
                        needed,
                        Math.ceilDiv(needed * look.partitions(), look.locksPerPartition())),
                gain);
    }

    private static Limit fetching(Look look, Surroundings around, Plan plan, boolean tuned, double gain) {
        boolean waitsForFetch = look.roundTripSeconds() > look.roundSeconds();
        if (waitsForFetch && plan.consumers() > look.partitions()) {
            return Limit.of(
                    "share-fetch-lock",
                    look.partitions() + " partitions",
                    String.format(
                            Locale.ROOT,
                            "%d share consumers wait for their turn at %d partitions: a fetch takes %.1f ms, the work %.1f ms",
                            plan.consumers(),
                            look.partitions(),
                            look.roundTripSeconds() * 1000,
                            look.roundSeconds() * 1000),
                    "more partitions",
                    gain);
        }
        return Limit.of(
                "share-credits",
                plan.credits() + " credits",
                String.format(
                        Locale.ROOT,
                        "workers wait for records: at most %d are acquired at once, for %d workers",
                        (long) plan.consumers() * plan.pollRecords(),
                        around.workers),
                tuned
                        ? "nothing: Weir acquires more by itself"
                        : "fetch(FetchPath.LEAN), which acquires ahead of the workers",
                tuned ? 1 : gain);
    }
}
