package dev.weir.bench.figures;

import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Totals;
import dev.weir.driver.LedgerFigures;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * The result of a run. Immutable except for the histograms, which belong to the caller.
 *
 * @param warmUpIntervals number of intervals at the start of {@code intervals} that are not measured
 * @param latencies histograms by interval and tag; empty if records have no planned times
 * @param timeline the changes made during the run
 * @param phases the phases between these changes; empty if there were none
 * @param disturbances the disturbances from which the run had to recover
 * @param groups the delivery counts of each group; empty if there is only one group
 */
public record Measured(
        int warmUpIntervals,
        List<Interval> intervals,
        Totals totals,
        LedgerFigures ledger,
        Set<Flag> flags,
        List<Histogram> latencies,
        List<TimelineEntry> timeline,
        List<Phase> phases,
        List<Disturbance> disturbances,
        List<LedgerFigures> groups) {

    /** Creates the result of a run that was not changed while it was measured. */
    public Measured(
            int warmUpIntervals,
            List<Interval> intervals,
            Totals totals,
            LedgerFigures ledger,
            Set<Flag> flags,
            List<Histogram> latencies) {
        this(warmUpIntervals, intervals, totals, ledger, flags, latencies, List.of(), List.of(), List.of(), List.of());
    }
}
