package dev.weir.cli.tune;

import dev.weir.metrics.Limiter;
import java.util.Map;

/**
 * What was measured of a version while it ran steadily. Immutable.
 *
 * @param limiter what held it down for most of the time
 * @param cores processors that the process used, the broker in it included
 * @param freeCores processors of the machine that nobody used
 * @param shares by stage: the share of the time of the thread that the fused steps have together
 * @param sharesFrom what says so: the profile, or the counters if there was too little to sample
 * @param clientShare the Kafka clients' share of the processor time that the profile saw; 0 without a profile
 */
record Measurement(
        double recordsPerSecond,
        Limiter limiter,
        double cores,
        double freeCores,
        Map<String, Double> shares,
        String sharesFrom,
        double clientShare) {

    /** Something is always left; also counters that are read one after the other can say more than all. */
    private static final double MOST_SAVED = 0.99;

    /** From here on a thread that wants a processor waits for one. */
    private static final double FULL = 0.85;

    /** The same with the shares that {@code profiled} saw. */
    Measurement withShares(Measurement profiled) {
        return new Measurement(
                recordsPerSecond,
                limiter,
                cores,
                freeCores,
                profiled.shares,
                profiled.sharesFrom,
                profiled.clientShare);
    }

    /** Whether the processors are what limits. */
    boolean processorsAreFull() {
        return cores >= FULL * (cores + freeCores);
    }

    /**
     * The factor that cheaper clients bring while the processors are full.
     *
     * @param costRatio the new clients' processor time over that of Kafka's
     */
    double gainOfCheaperClients(double costRatio) {
        return 1 / (1 - Math.min(MOST_SAVED, clientShare * (1 - costRatio)));
    }

    /** The factor by which the use of processors can rise until none is free: at least 1. */
    double processorsAllow() {
        return cores <= 0 ? 1 : (cores + freeCores) / cores;
    }

    /**
     * By Amdahl's law: the factor that a cheaper stage brings to its thread, as far as the processors allow it.
     *
     * @param costRatio the new stage's cost over that of the old one, each alone
     */
    double gainOfCheaper(String stage, double costRatio) {
        double saved = Math.min(MOST_SAVED, shares.getOrDefault(stage, 0.0) * (1 - costRatio));
        double ofThread = 1 / (1 - saved);
        double ofProcessors = cores <= saved ? ofThread : (cores + freeCores) / (cores - saved);
        return Math.min(ofThread, ofProcessors);
    }
}
