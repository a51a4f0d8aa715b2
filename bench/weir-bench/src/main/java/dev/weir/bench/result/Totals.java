package dev.weir.bench.result;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Sums over the measured part of a run. Immutable, thread-safe. A count that was not measured is
 * {@link Interval#UNKNOWN}, and figures derived from it are NaN.
 *
 * @param cpuNanos processor time of the process under test
 * @param allocatedBytes bytes allocated by the process under test
 * @param contextSwitches voluntary and involuntary context switches of the process under test
 * @param brokerCpuNanos processor time of all brokers
 * @param metrics other figures of the scenario, for example fetch requests, bytes from the broker and records per fetch
 */
public record Totals(
        long records,
        long bytes,
        long elapsedNanos,
        long cpuNanos,
        long allocatedBytes,
        long gcMillis,
        long contextSwitches,
        long brokerCpuNanos,
        Map<String, Double> metrics) {

    /**
     * Metric: bytes that brokers sent to consumers, per byte of delivered values. Batch headers are included in the
     * bytes sent.
     */
    public static final String SENT_PER_BYTE = "sent per byte";

    /** Metric: delivered records per fetch response. */
    public static final String RECORDS_PER_FETCH = "records per fetch";

    /** Metric: fetch requests per second that brokers answered. */
    public static final String FETCHES_PER_SECOND = "fetches per second";

    /**
     * Metric: highest possible rate in records per second if the maximum number of handlers block at the same time,
     * computed from their measured blocking time.
     */
    public static final String CEILING = "ceiling";

    /** Metric: rate as a percentage of the nominal ceiling, where handlers block for their configured time. */
    public static final String NOMINAL = "% of ceiling";

    /** Metric: rate as a percentage of {@link #CEILING}. */
    public static final String EFFICIENCY = "efficiency";

    /** Metric: measured mean blocking time of a handler in milliseconds. */
    public static final String HANDLER_MILLIS = "handlerMillis";

    /**
     * Metric: seconds until a fresh process reaches full speed. The time starts when the process is ordered to join. It
     * ends at the end of the first second in which the rate reaches 98 % of the ceiling.
     */
    public static final String SECONDS_TO_98 = "secondsTo98";

    /** The totals of a run that has no figures, for example because it failed. */
    public static final Totals NONE = new Totals(0, 0, 0, -1, -1, -1, -1, -1, Map.of());

    public Totals {
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }

    public double recordsPerSecond() {
        return per(records, elapsedNanos / 1e9);
    }

    public double cpuSecondsPerMillion() {
        return per(cpuNanos, records * 1e3);
    }

    public double allocatedBytesPerRecord() {
        return per(allocatedBytes, (double) records);
    }

    public double brokerCpuSecondsPerMillion() {
        return per(brokerCpuNanos, records * 1e3);
    }

    private static double per(long count, double units) {
        return count == Interval.UNKNOWN || units <= 0 ? Double.NaN : (double) count / units;
    }
}
