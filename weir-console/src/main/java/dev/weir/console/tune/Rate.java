package dev.weir.console.tune;

import java.util.List;
import java.util.Map;

/**
 * A measured rate. Immutable.
 *
 * @param perSecond always positive; a pipeline without progress has no rate
 * @param noise the relative standard error of the rate, at least {@link #LEAST_NOISE}
 * @param supply the number of elements that each upstream stage emitted per counted element; without stages whose
 * number is unknown
 */
record Rate(double perSecond, double noise, Map<String, Double> supply) {

    /** A queue is draining if the ratio of a supply to an earlier supply is below this value. */
    private static final double LASTS = 0.9;

    /** Minimum noise: two windows of a steady pipeline differ by about this fraction. */
    static final double LEAST_NOISE = 0.01;

    /** Maximum number of slices of a window. */
    private static final int SLICES = 8;

    /** Minimum number of counter changes for an estimate of the noise. */
    private static final int LEAST_CHANGES = 4;

    private static final double UNKNOWN_NOISE = 0.25;

    /**
     * The time and value of a counter change.
     *
     * @param count the number of elements
     */
    record Sample(long atNanos, long count) {

        double rateSince(Sample earlier) {
            return (count - earlier.count) * 1e9 / Math.max(1, atNanos - earlier.atNanos);
        }
    }

    /**
     * Computes the rate between the first and the last change of a counter, which contains only complete steps.
     *
     * @param begin the start of the window, used if there are few changes
     * @param changes at least one
     * @param end the end of the window
     */
    static Rate of(Sample begin, List<Sample> changes, Sample end) {
        if (changes.size() < LEAST_CHANGES) {
            return new Rate(end.rateSince(begin), UNKNOWN_NOISE);
        }
        Sample first = changes.getFirst();
        Sample last = changes.getLast();
        double rate = last.rateSince(first);
        int slices = Math.min(SLICES, changes.size() - 1);
        double squares = 0;
        for (int i = 0; i < slices; i++) {
            Sample from = changes.get(i * (changes.size() - 1) / slices);
            Sample to = changes.get((i + 1) * (changes.size() - 1) / slices);
            double off = to.rateSince(from) / rate - 1;
            squares += off * off;
        }
        double error = Math.sqrt(squares / (slices - 1) / slices);
        return new Rate(rate, Math.max(LEAST_NOISE, error));
    }

    Rate(double perSecond, double noise) {
        this(perSecond, noise, Map.of());
    }

    Rate with(Map<String, Double> newSupply) {
        return new Rate(perSecond, noise, newSupply);
    }

    /**
     * Returns the sustainable fraction of this rate. The fraction is below 1 if a queue between two stages is draining.
     */
    double lasting(Rate before) {
        double share = 1;
        for (Map.Entry<String, Double> stage : supply.entrySet()) {
            double was = before.supply.getOrDefault(stage.getKey(), 0.0);
            share = was > 0 ? Math.min(share, stage.getValue() / was) : share;
        }
        return share < LASTS ? share : 1;
    }

    /** Returns this rate divided by the rate {@code before}. Only the sustainable part of a gain counts. */
    double over(Rate before) {
        double factor = perSecond / before.perSecond;
        return factor <= 1 ? factor : Math.max(1, factor * lasting(before));
    }

    /** Returns the noise of the ratio of the two rates. */
    double noiseWith(Rate other) {
        return Math.hypot(noise, other.noise);
    }
}
