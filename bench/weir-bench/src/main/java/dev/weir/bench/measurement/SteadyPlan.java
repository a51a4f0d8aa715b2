package dev.weir.bench.measurement;

import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LoadShape;
import java.util.concurrent.TimeUnit;

/**
 * The plan of a steady run: the due times of records, and the part of the run that is measured. Both can change during
 * the run. Times are {@link System#nanoTime}. Confined to the thread of the run.
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

    double millisSince(long nanos) {
        return (nanos - startNanos) / 1e6;
    }

    /** Returns the part of the plan to which an interval belongs. */
    Part part(long fromNanos, long toNanos) {
        return fromNanos < measureFromNanos - edgeNanos
                ? Part.WARM_UP
                : toNanos <= measureToNanos + edgeNanos ? Part.MEASURED : Part.AFTER;
    }

    /** The end of the plan, slightly after the end of the measured part. */
    long endNanos() {
        return measureToNanos + nanos(Math.max(1, 2 * point.intervalMillis() / 1e3));
    }

    long measureToNanos() {
        return measureToNanos;
    }

    double rate() {
        return rate;
    }

    double dueUntil(long nanos) {
        return dueBefore + rate * (loadUntil(nanos) - loadUntil(rateFromNanos));
    }

    private double loadUntil(long nanos) {
        return load.area(Math.max(0, nanos - startNanos) / 1e9);
    }

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

    void measureFrom(long nanos) {
        measureFromNanos = Math.max(measureFromNanos, nanos);
    }
}
