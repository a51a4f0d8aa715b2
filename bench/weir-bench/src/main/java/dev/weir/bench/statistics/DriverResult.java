package dev.weir.bench.statistics;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Run;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * The results of one driver at one point, over all its runs. Immutable except for the histograms, which callers must
 * not modify.
 *
 * @param runs all runs, in order
 * @param quoted the number of runs that may be quoted; the figures come from these runs
 * @param bounds the metrics whose figures are only bounds, because the brokers limited at least half of the quoted runs
 * @param medians the medians by metric; metrics that were not measured are missing
 * @param comparisons the comparisons by metric; empty for the baseline itself. A metric is missing if no round has a
 *     figure for both the driver and the baseline.
 * @param metrics the medians of the scenario's other metrics
 * @param flags the number of runs with each flag
 * @param ledger the sum over all runs, whether quoted or not
 * @param latencies the latencies of the quoted runs, by tag
 * @param worstPartitionP99Millis NaN if there are no latencies by partition
 * @param worstConsumerP99Millis NaN if there are no latencies by process of a group
 */
public record DriverResult(
        String driver,
        List<Run> runs,
        int quoted,
        Set<Metric> bounds,
        Map<Metric, Double> medians,
        Map<Metric, Comparison> comparisons,
        Map<String, Double> metrics,
        Map<Flag, Integer> flags,
        Ledger ledger,
        Map<String, Histogram> latencies,
        double worstPartitionP99Millis,
        double worstConsumerP99Millis) {

    /** The name of the component that limited the driver if a metric is one of the {@link #bounds}. */
    public static final String LIMIT = "broker";

    /** Returns whether this metric's figure is only a bound. */
    public boolean isBound(Metric metric) {
        return bounds.contains(metric);
    }
}
