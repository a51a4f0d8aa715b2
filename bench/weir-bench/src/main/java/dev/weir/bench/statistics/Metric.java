package dev.weir.bench.statistics;

import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** The metrics for comparing runs. */
public enum Metric {
    RATE("rate", "records/s", true),
    CPU("CPU", "s per million", false),
    ALLOCATED("allocated", "B per record", false),
    BROKER_CPU("broker CPU", "s per million", false),
    SENT("sent by brokers", "B per B delivered", false),
    FETCHED("records per fetch", "records", true),
    FETCHES("fetches", "requests/s", false),
    P50("latency p50", "ms", false),
    P99("latency p99", "ms", false),
    P999("latency p99.9", "ms", false),
    P9999("latency p99.99", "ms", false);

    private final String title;
    private final String unit;
    private final boolean higherIsBetter;

    Metric(String title, String unit, boolean higherIsBetter) {
        this.title = title;
        this.unit = unit;
        this.higherIsBetter = higherIsBetter;
    }

    /**
     * Returns the metric with this {@link #label}.
     *
     * @throws IllegalArgumentException with the existing labels, if there is no such metric
     */
    public static Metric of(String label) {
        return Arrays.stream(values())
                .filter(metric -> metric.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no metric " + label + "; there are "
                        + Arrays.stream(values()).map(Metric::label).collect(Collectors.joining(", "))));
    }

    /** The name used in rules, options and JSON, such as {@code broker-cpu}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String title() {
        return title;
    }

    public String unit() {
        return unit;
    }

    public boolean higherIsBetter() {
        return higherIsBetter;
    }

    /**
     * Returns whether the metric depends on the brokers' performance when they are the bottleneck. The rate does, but
     * the driver's costs per record do not.
     */
    public boolean dependsOnBrokers() {
        return this == RATE;
    }

    /** The metric of one run; NaN if it was not measured or has too few samples. */
    double of(Run run, Map<String, Histogram> latencies) {
        return switch (this) {
            case RATE -> run.totals().recordsPerSecond();
            case CPU -> run.totals().cpuSecondsPerMillion();
            case ALLOCATED -> run.totals().allocatedBytesPerRecord();
            case BROKER_CPU -> run.totals().brokerCpuSecondsPerMillion();
            case SENT -> counted(run, Totals.SENT_PER_BYTE);
            case FETCHED -> counted(run, Totals.RECORDS_PER_FETCH);
            case FETCHES -> counted(run, Totals.FETCHES_PER_SECOND);
            case P50 -> Latencies.percentileMillis(latencies.get(LatencyTags.RESPONSE), 50);
            case P99 -> Latencies.percentileMillis(latencies.get(LatencyTags.RESPONSE), 99);
            case P999 -> Latencies.percentileMillis(latencies.get(LatencyTags.RESPONSE), 99.9);
            case P9999 -> Latencies.percentileMillis(latencies.get(LatencyTags.RESPONSE), 99.99);
        };
    }

    private static double counted(Run run, String name) {
        return run.totals().metrics().getOrDefault(name, Double.NaN);
    }
}
