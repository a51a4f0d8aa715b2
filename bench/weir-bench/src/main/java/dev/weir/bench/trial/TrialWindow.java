package dev.weir.bench.trial;

import dev.weir.bench.workload.LatencyTarget;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The figures of all members of a trial in one time window. Unless stated otherwise, an interval counts if its midpoint
 * lies in the window. Confined to one thread.
 */
final class TrialWindow {
    /** Fraction of the due rate at which records must arrive in a window. */
    private static final double MOST_OF_THEM = 0.9;

    /** Smallest number of due records at which a partition without arrivals counts as silent. */
    private static final double CERTAIN = 10;

    private final long fromNanos;
    private final long toNanos;
    private final Histogram all = new Histogram(3);
    private final Histogram[] partitions; // empty if partitions are not distinguished
    private final double[] shares; // fraction of the load, by partition
    private final Map<Integer, Histogram> consumers = new TreeMap<>(); // empty if partitions are not distinguished
    private long records;
    private double arrived; // records, including a part of an interval that overlaps an end of the window
    private long bytes;
    private HandlerTime handlers = HandlerTime.NONE;
    private @Nullable Usage usage;

    /**
     * Creates a window between two times of {@link System#nanoTime}.
     *
     * @param shares the fraction of the load for each partition; empty if partitions are not distinguished
     */
    TrialWindow(long fromNanos, long toNanos, double... shares) {
        this.fromNanos = fromNanos;
        this.toNanos = toNanos;
        this.shares = shares.clone();
        this.partitions = new Histogram[shares.length];
        Arrays.setAll(this.partitions, partition -> new Histogram(3));
    }

    long fromNanos() {
        return fromNanos;
    }

    double seconds() {
        return (toNanos - fromNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    void add(int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
        long inside = Math.min(endNanos - fromNanos, toNanos - fromNanos) - Math.max(0, startNanos - fromNanos);
        if (inside > 0) {
            arrived += interval.records() * (double) inside / (endNanos - startNanos);
        }
        long middle = startNanos + (endNanos - startNanos) / 2;
        if (middle - fromNanos < 0 || middle - toNanos >= 0) {
            return;
        }
        records += interval.records();
        bytes += interval.bytes();
        handlers = handlers.plus(interval.handlers());
        Usage before = usage;
        usage = before == null ? interval.usage() : before.plus(interval.usage());
        timings.forEach(all::add);
        if (partitions.length > 0) {
            timings.forEach(consumers.computeIfAbsent(member, m -> new Histogram(3))::add);
        }
        for (int partition = 0; partition < partitions.length; partition++) {
            partitions[partition].add(timings.get(partition));
        }
    }

    long records() {
        return records;
    }

    /** The rate of arrivals, in records per second. Intervals that overlap an end of the window count in part. */
    double arrivalRate() {
        return arrived / seconds();
    }

    long bytes() {
        return bytes;
    }

    HandlerTime handlers() {
        return handlers;
    }

    /** The total usage of all members; null if no member has reported. */
    @Nullable
    Usage usage() {
        return usage;
    }

    Histogram all() {
        return all;
    }

    List<Histogram> partitions() {
        return List.of(partitions);
    }

    Map<Integer, Histogram> consumers() {
        return Collections.unmodifiableMap(consumers);
    }

    /** The median delay of records; NaN if there are no records. */
    double medianMillis() {
        return all.getTotalCount() == 0 ? Double.NaN : all.getValueAtPercentile(50) / 1e6;
    }

    /**
     * The latency at the target's percentile, of all records, the worst partition or the worst consumer; NaN if there
     * are no records.
     */
    double millis(LatencyTarget target) {
        if (all.getTotalCount() == 0) {
            return Double.NaN;
        }
        Stream<Histogram> judged = switch (target.of()) {
            case ALL -> Stream.of(all);
            case WORST_PARTITION -> partitions.length == 0 ? Stream.of(all) : Arrays.stream(partitions);
            case WORST_CONSUMER -> partitions.length == 0 ? Stream.of(all) : consumers.values().stream();
        };
        return judged.mapToDouble(
                        one -> one.getTotalCount() == 0 ? 0 : one.getValueAtPercentile(target.percentile()) / 1e6)
                .max()
                .orElse(Double.NaN);
    }

    /** The reason why the window does not meet the target at the given rate; null if it meets the target. */
    @Nullable
    String objection(LatencyTarget target, double rate) {
        if (arrivalRate() < MOST_OF_THEM * rate) {
            return String.format(Locale.ROOT, "%,.0f of %,.0f records a second arrived", arrivalRate(), rate);
        }
        int silent = silentPartition(rate);
        if (silent >= 0) {
            return "no record of partition " + silent + " arrived";
        }
        double millis = millis(target);
        return millis <= target.limitMillis()
                ? null
                : String.format(
                        Locale.ROOT,
                        "%sp%s was %,.1f ms",
                        switch (target.of()) {
                            case ALL -> "";
                            case WORST_PARTITION -> "the worst partition's ";
                            case WORST_CONSUMER -> "the worst consumer's ";
                        },
                        trimmed(target.percentile()),
                        millis);
    }

    /**
     * The first partition that received nothing although at least ten records were due at the given rate; -1 if none.
     */
    int silentPartition(double rate) {
        for (int partition = 0; partition < partitions.length; partition++) {
            if (rate * seconds() * shares[partition] >= CERTAIN && partitions[partition].getTotalCount() == 0) {
                return partition;
            }
        }
        return -1;
    }

    static String trimmed(double percentile) {
        return percentile == Math.rint(percentile) ? Long.toString((long) percentile) : Double.toString(percentile);
    }
}
