package dev.weir.bench.measurement;

import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LoadShape;
import java.util.concurrent.TimeUnit;

/**
 * The times at which the records of a steady run are due, and the part that is measured; orders change both. Times are
 * {@link System#nanoTime}. Confined to the thread of the run.
 */
final class SteadyPlan {
    private final WorkloadPoint point;
    private final LoadShape load;
    private final long edgeNanos;

    private long startNanos;
    private long measureFromNanos;
    private long measureToNanos;
    private double rate; // since rateFromNanos
    private long rateFromNanos;
    private double dueBefore; // records due before rateFromNanos

    /** The part in which a time lies. */
    enum Part {
        WARM_UP,
        MEASURED,
        AFTER
    }

    /** Plan of that point; {@link #begin} begins it. */
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

    /** Milliseconds since it began. */
    double millisSince(long nanos) {
        return (nanos - startNanos) / 1e6;
    }

    /**
     * The part of the plan in which an interval lies. One that reaches over the edge by a little is not lost for it.
     */
    Part part(long fromNanos, long toNanos) {
        return fromNanos < measureFromNanos - edgeNanos
                ? Part.WARM_UP
                : toNanos <= measureToNanos + edgeNanos ? Part.MEASURED : Part.AFTER;
    }

    /** The time when it is over, with a little more than is measured: the end of a pass is not to be in it. */
    long endNanos() {
        return measureToNanos + nanos(Math.max(1, 2 * point.intervalMillis() / 1e3));
    }

    /** The time when what is measured is over. */
    long measureToNanos() {
        return measureToNanos;
    }

    double rate() {
        return rate;
    }

    /** Returns the number of records due by then. */
    double dueUntil(long nanos) {
        return dueBefore + rate * (loadUntil(nanos) - loadUntil(rateFromNanos));
    }

    private double loadUntil(long nanos) {
        return load.area(Math.max(0, nanos - startNanos) / 1e9);
    }

    /** Another rate from then on. */
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
