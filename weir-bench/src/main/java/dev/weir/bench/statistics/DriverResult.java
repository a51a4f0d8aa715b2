package dev.weir.bench.statistics;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Run;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * One driver at one point, over its runs. Immutable but for the histograms, which belong to it: read them only.
 *
 * @param runs all of them, in their order
 * @param quoted how many of them may be quoted; the figures are of these
 * @param bounds metrics whose figures are not the library's own but bounds:
 *     the brokers held back half of the quoted runs or more
 * @param medians by metric; those not taken are missing
 * @param comparisons by metric; missing for the baseline itself and where no round has both figures
 * @param metrics medians of what else the scenario counts
 * @param flags how many runs have each
 * @param ledger sum over all runs, quoted or not
 * @param latencies of the quoted runs, by tag
 * @param worstPartitionP99Millis not a number without latencies by partition
 * @param worstConsumerP99Millis not a number without latencies by process of a group
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

    /** The label of the thing that made {@link #bounds} of figures. */
    public static final String LIMIT = "broker";

    /** Returns whether the true figure is this one or more. */
    public boolean isBound(Metric metric) {
        return bounds.contains(metric);
    }
}
