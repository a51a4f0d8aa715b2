package dev.weir.cli.tune;

import dev.weir.metrics.Limiter;
import dev.weir.metrics.MachineLook;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The measurement of a version while it ran steadily. Immutable.
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

    /**
     * Processors that nobody uses; 0 if that is not known. The load is that of a second of late, which may be another
     * one than the one in which {@code cores} were used: those are surely not free.
     */
    static double free(MachineLook machine, double cores) {
        double free = machine.processors() * (1 - machine.load());
        return Double.isNaN(free) || Double.isNaN(cores) ? 0 : Math.clamp(machine.processors() - cores, 0, free);
    }

    /** That of several passes of one version which has the median rate, or with it: between the two in the middle. */
    static Measurement median(List<Measurement> passes) {
        List<Measurement> byRate = passes.stream()
                .sorted(Comparator.comparingDouble(Measurement::recordsPerSecond))
                .toList();
        return byRate.get(byRate.size() / 2)
                .withRate(median(
                        byRate.stream().map(Measurement::recordsPerSecond).toList()));
    }

    /** The median of at least one rate. */
    static double median(Collection<Double> rates) {
        List<Double> sorted = rates.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The same with another rate. */
    Measurement withRate(double perSecond) {
        return new Measurement(perSecond, limiter, cores, freeCores, shares, sharesFrom, clientShare);
    }

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

    /** Returns whether the processors are what limits. */
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
