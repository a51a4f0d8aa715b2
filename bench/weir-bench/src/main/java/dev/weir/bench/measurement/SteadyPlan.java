package dev.weir.bench.measurement;

import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LoadShape;
import java.util.concurrent.TimeUnit;

/**
 * The plan of a steady run: the times at which records are due, and the part of the run that is measured. The due times
 * and the measured part can change during the run. Times are {@link System#nanoTime}. Confined to the thread of the
 * run.
 */
final class SteadyPlan {
    private final WorkloadPoint point;
    private final LoadShape load;
    private final long edgeNanos;

    private long startNanos;
    private long measureFromNanos;
    private long measureToNanos;
    private double rate; // rate since rateFromNanos
    private long rateFromNanos;
    private double dueBefore; // records due before rateFromNanos

    /** A part of the run. */
    enum Part {
        WARM_UP,
        MEASURED,
        AFTER
    }

    /** Creates the plan of a workload point; {@link #begin} starts it. */
    SteadyPlan(WorkloadPoint point) {
        this.point = point;
        this.load = point.load();
        this.edgeNanos = TimeUnit.MILLISECONDS.toNanos(point.intervalMillis()) / 2;
    }

    void begin(long atNanos) {
        startNanos = atNanos;
        measureFromNanos = atNanos + nanos(point.seconds("maxWarmUpSeconds"));
        measureToNanos = measureFromNanos + nanos(point.seconds("measureSeconds"));
        rate = point.recordsPerSecond();
        rateFromNanos = atNanos;
    }

    private static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /** The time in milliseconds since the plan began. */
    double millisSince(long nanos) {
        return (nanos - startNanos) / 1e6;
    }

    /**
     * Returns the part of the plan to which an interval belongs. An interval still counts as measured if it begins
     * before or ends after the measured part by at most half the length of an interval.
     */
    Part part(long fromNanos, long toNanos) {
        return fromNanos < measureFromNanos - edgeNanos
                ? Part.WARM_UP
                : toNanos <= measureToNanos + edgeNanos ? Part.MEASURED : Part.AFTER;
    }

    /**
     * The end of the plan. It lies slightly after the end of the measured part, so that the end of the driver's pass is
     * not measured.
     */
    long endNanos() {
        return measureToNanos + nanos(Math.max(1, 2 * point.intervalMillis() / 1e3));
    }

    /** The end of the measured part of the run. */
    long measureToNanos() {
        return measureToNanos;
    }

    double rate() {
        return rate;
    }

    /** Returns the number of records due up to the given time. */
    double dueUntil(long nanos) {
        return dueBefore + rate * (loadUntil(nanos) - loadUntil(rateFromNanos));
    }

    private double loadUntil(long nanos) {
        return load.area(Math.max(0, nanos - startNanos) / 1e9);
    }

    /** Changes the rate from this time on. */
    void changeRate(long atNanos, double recordsPerSecond) {
        dueBefore = dueUntil(atNanos);
        rateFromNanos = atNanos;
        rate = recordsPerSecond;
    }

    void extend(double millis) {
        measureToNanos += (long) (1e6 * millis);
    }

    void endAt(long nanos) {
        measureToNanos = Math.min(measureToNanos, nanos);
    }

    /** Excludes everything before this time from the measurement. */
    void measureFrom(long nanos) {
        measureFromNanos = Math.max(measureFromNanos, nanos);
    }
}
