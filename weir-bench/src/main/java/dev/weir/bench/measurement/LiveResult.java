package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.figures.IntervalSums;
import dev.weir.bench.figures.LiveFigures;
import dev.weir.bench.figures.LoadShares;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.figures.SeriesBook;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.LimitingParty;
import dev.weir.bench.statistics.WarmUp;
import dev.weir.bench.workload.LockWindow;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Scenario;
import dev.weir.driver.Usage;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Makes the result of a run that could be changed. Immutable.
 *
 * @param figures of all groups together
 * @param ofGroups those of each
 * @param told figures of members' clients, by name
 * @param around figures of brokers and machine
 * @param cores of the machine on which all processes are
 * @param handlers that may block at a time, in all processes together; 0 where handlers do not block
 */
public record LiveResult(
        WorkloadPoint point,
        LiveFigures figures,
        List<LiveFigures> ofGroups,
        Map<String, List<Double>> told,
        Map<String, Double> around,
        int cores,
        int handlers) {
    /** Cores where members are on several machines: no sum of what they use says that one of these is busy. */
    public static final int MANY_MACHINES = Integer.MAX_VALUE;

    private static final long TOLERATED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * The result.
     *
     * @param ledgers of the groups
     * @param isWhole whether the group had committed all that was sent
     */
    public Measured measured(
            double endMillis,
            List<LedgerFigures> ledgers,
            boolean isWhole,
            List<TimelineEntry> timeline,
            List<Phase> phases,
            List<Disturbance> disturbances) {
        LedgerFigures ledger = ledgers.stream().reduce(LedgerFigures.NONE, LedgerFigures::plus);
        int count = figures.whole(endMillis);
        int warmUp = figures.warmUp(count);
        Usage used = figures.usage(warmUp, count);
        if (used == null && timeline.isEmpty()) {
            throw new RunFailure("it reported nothing in the time that is measured");
        }
        if (!isWhole && ledger.missing() > 0) {
            throw new RunFailure(ledger.missing() + " records had not come when nothing more had been committed for a"
                    + " minute: they are lost, or members stand still");
        }
        List<Interval> intervals = figures.intervals(count);
        LoadShares shares = new LoadShares(
                figures.sentTo(warmUp, count),
                ofGroups.stream().map(LiveFigures::cameTo).toList());
        // Ended before anything was measured, it has phases all the same.
        Totals totals = used == null
                ? Totals.NONE
                : totals(
                        intervals.subList(warmUp, count),
                        used,
                        figures.handlers(warmUp, count).meanMillis(),
                        timeline.isEmpty(),
                        shares);
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        flags.addAll(LimitingParty.ofProcessorTime(totals, cores, point.brokers(), false, false));
        if (LimitingParty.isGeneratorBound(figures.lateness(warmUp, count), TOLERATED_NANOS)) {
            flags.add(Flag.GENERATOR_BOUND);
        }
        if (used != null && WarmUp.isCompiling(used.compileMillis(), used.cpuNanos())) {
            flags.add(Flag.COMPILING);
        }
        if (isBroken(point.scenario(), ledger, timeline.isEmpty())) {
            flags.add(Flag.GUARANTEE_BROKEN);
        }
        if (!timeline.isEmpty()) {
            flags.add(Flag.CHANGED);
        } else if (shares.isOtherThan(point.partitionSkew())) { // Changed, members come and go.
            flags.add(Flag.UNEVEN);
        }
        return new Measured(
                warmUp,
                intervals,
                totals,
                ledger,
                flags,
                figures.latencies(count),
                List.copyOf(timeline),
                timeline.isEmpty() ? List.of() : List.copyOf(phases),
                disturbances,
                ledgers.size() == 1 ? List.of() : ledgers);
    }

    /** At most once, a record may get lost where somebody was disturbed at work, and none may come again. */
    static boolean isBroken(Scenario scenario, LedgerFigures ledger, boolean isUnchanged) {
        return scenario == Scenario.AT_MOST_ONCE
                ? ledger.redelivered() > 0 || ledger.foreign() > 0 || (isUnchanged && ledger.missing() > 0)
                : ledger.isBroken();
    }

    /**
     * How many records a second all members can take; not a number where handlers do not block.
     *
     * @param millis that handlers block for a record
     */
    static double ceilingPerSecond(int handlers, double millis) {
        return handlers > 0 && millis > 0 ? 1e3 * handlers / millis : Double.NaN;
    }

    private Totals totals(
            List<Interval> measured, Usage used, double handlerMillis, boolean isUnchanged, LoadShares shares) {
        IntervalSums sums = IntervalSums.of(measured);
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("members", (double) point.members());
        metrics.put("groups", (double) point.groups());
        metrics.put("planned/s", point.measuredPerSecond());
        metrics.put("collections", (double) used.gcCount());
        metrics.put("heap MB", used.heapBytes() / 1e6);
        metrics.put("direct MB", used.directBytes() / 1e6);
        Measurement.putCompiling(metrics, used);
        told.forEach((name, all) -> metrics.put(name, Measurement.ofAll(name, all)));
        metrics.putAll(around);
        metrics.putAll(shares.figures());
        if (figures.readerNanos() > 0) {
            metrics.put("reader, % of a core", 100.0 * figures.readerNanos() / sums.nanos());
        }
        SeriesBook.means(measured.stream().map(Interval::figures).toList()).forEach(metrics::putIfAbsent);
        LockWindow.put(point, metrics);
        double ceiling = ceilingPerSecond(handlers, handlerMillis * point.callsPerRecord());
        if (isUnchanged && !Double.isNaN(ceiling)) {
            metrics.put(Totals.HANDLER_MILLIS, handlerMillis);
            metrics.put(Totals.CEILING, ceiling);
            metrics.put(Totals.EFFICIENCY, 1e11 * sums.records() / sums.nanos() / ceiling);
        }
        return sums.with(used, metrics);
    }
}
