package dev.weir.cli.tune;

import java.util.ArrayList;
import java.util.List;

/**
 * Says how often a version is measured: some times, since one pass of a second or two may meet a collection, a
 * compiler or another program; fewer times if passes are long. Confined to one thread.
 */
final class Passes {
    private static final int MOST_PASSES = 3;

    /** A pass of this length is hardly affected by chance. */
    private static final double ENOUGH_SECONDS = 10;

    private final List<Double> rates = new ArrayList<>();
    private double seconds;

    boolean areEnough() {
        return rates.size() >= MOST_PASSES || seconds >= ENOUGH_SECONDS;
    }

    /** Counts a pass in that measured so many events. */
    void add(double recordsPerSecond, double events) {
        rates.add(recordsPerSecond);
        seconds += events / recordsPerSecond;
    }

    /** Of at least one pass. */
    double median() {
        return Measurement.median(rates);
    }
}
