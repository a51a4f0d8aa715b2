package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.figures.IntervalSums;
import dev.weir.bench.figures.LiveFigures;
import dev.weir.bench.figures.LiveSettings;
import dev.weir.bench.figures.LoadSpread;
import dev.weir.bench.figures.Measured;
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
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Builds the result of a changeable run. Immutable.
 *
 * @param figures the figures of all groups together
 * @param ofGroups the figures of each group
 * @param told the figures reported by the members' clients, by name
 * @param around the figures of the brokers and the machine
 * @param cores the number of cores of the machine that runs all processes, or {@link #MANY_MACHINES}
 * @param handlers the number of handlers in all processes together that may block at the same time; 0 if handlers do
 *     not block
 */
public record LiveResult(
        WorkloadPoint point,
        LiveFigures figures,
        List<LiveFigures> ofGroups,
        Map<String, List<Double>> told,
        Map<String, Double> around,
        int cores,
        int handlers) {
    /** Value of {@code cores} if members run on several machines. */
    public static final int MANY_MACHINES = Integer.MAX_VALUE;

    private static final long TOLERATED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * Returns the result of the run.
     *
     * @param ledgers the delivery counts of each group
     * @param isWhole whether the groups have committed all sent records
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
            throw new RunFailure(ledger.missing() + " records were still missing when nothing had been committed for a"
                    + " minute: they are lost, or members are stuck");
        }
        // A change may affect the handlers, so a changed run has no ceiling.
        double blocking = timeline.isEmpty() ? handlers : 0;
        int members = point.isChangeable() ? point.members() : 1;
        Part all = new Part(warmUp, count, point.measuredPerSecond(), blocking, toldAndAround(), members);
        LoadSpread shares = shares(all);
        // A run that ended during its warm-up has no usage and no totals.
        Totals totals = used == null ? Totals.NONE : totals(all, used, shares);
        Set<Flag> flags = flags(all, totals, used);
        if (isBroken(point.scenario(), ledger, timeline.isEmpty())) {
            flags.add(Flag.GUARANTEE_BROKEN);
        }
        if (!timeline.isEmpty()) {
            flags.add(Flag.CHANGED);
        } else if (shares.isOtherThan(point.partitionSkew())) { // a changed run may have an uneven spread
            flags.add(Flag.UNEVEN);
        }
        return new Measured(
                warmUp,
                figures.intervals(count),
                totals,
                ledger,
                flags,
                latencies(count, timeline.isEmpty() ? List.of() : phases),
                List.copyOf(timeline),
                timeline.isEmpty() ? List.of() : List.copyOf(phases),
                disturbances,
                ledgers.size() == 1 ? List.of() : ledgers);
    }

    private Map<String, Double> toldAndAround() {
        Map<String, Double> all = new LinkedHashMap<>();
        told.forEach((name, figure) -> all.put(name, Measurement.ofAll(name, figure)));
        all.putAll(around);
        return all;
    }

    /**
     * Returns whether the delivery counts show a broken guarantee. With at-most-once delivery, disturbed members may
     * lose records, but must not repeat any.
     */
    static boolean isBroken(Scenario scenario, LedgerFigures ledger, boolean isUnchanged) {
        return scenario == Scenario.AT_MOST_ONCE
                ? ledger.redelivered() > 0 || ledger.foreign() > 0 || (isUnchanged && ledger.missing() > 0)
                : ledger.isBroken();
    }

    /**
     * The maximum throughput of all members in records per second; NaN if handlers do not block.
     *
     * @param handlers the number of handlers that may block at the same time
     * @param millis the blocking time per record
     */
    static double ceilingPerSecond(double handlers, double millis) {
        return handlers > 0 && millis > 0 ? 1e3 * handlers / millis : Double.NaN;
    }

    /**
     * A part of a run that consists of whole seconds, with the settings and figures of these seconds.
     *
     * @param to the index after the last second
     * @param producerRate the number of records that were due per second
     * @param handlers the number of handlers that could block at the same time; 0 if they did not block, or if their
     *     number or blocking time changed
     * @param given additional figures of the whole part, by name
     */
    private record Part(
            int from, int to, double producerRate, double handlers, Map<String, Double> given, int members) {}

    /**
     * Returns the result of a phase, or null if no member reported a whole second of it.
     *
     * @param from the index of the phase's first second
     * @param to the index after its last second
     * @param handlersThen the number of handlers that could block at the same time during the phase
     * @param aroundThen the figures of the brokers and the machine during the phase
     */
    Phase.@Nullable Result ofPhase(
            int from, int to, LiveSettings settings, double handlersThen, Map<String, Double> aroundThen) {
        Usage used = from < to ? figures.usage(from, to) : null;
        if (used == null) {
            return null;
        }
        double blocking = settings.workMillis() > 0 ? handlersThen : 0;
        Part phase = new Part(from, to, settings.producerRate(), blocking, aroundThen, settings.consumers());
        Totals totals = totals(phase, used, shares(phase));
        return new Phase.Result(from, to, totals, flags(phase, totals, used));
    }

    private List<Histogram> latencies(int count, List<Phase> phases) {
        List<Histogram> all = new ArrayList<>(figures.latencies(count));
        for (int i = 0; i < phases.size(); i++) {
            Phase.Result result = phases.get(i).result();
            if (result != null) {
                all.addAll(figures.latenciesOfPhase(i + 1, result.fromInterval(), result.toInterval()));
            }
        }
        return all;
    }

    private LoadSpread shares(Part part) {
        return new LoadSpread(
                figures.sentTo(part.from, part.to),
                ofGroups.stream().map(group -> group.cameTo(part.from, part.to)).toList());
    }

    private Set<Flag> flags(Part part, Totals totals, @Nullable Usage used) {
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        flags.addAll(LimitingParty.ofProcessorTime(totals, cores, point.brokers(), false, false));
        if (LimitingParty.isGeneratorBound(figures.lateness(part.from, part.to), TOLERATED_NANOS)) {
            flags.add(Flag.GENERATOR_BOUND);
        }
        if (used != null && WarmUp.isCompiling(used.compileMillis(), used.cpuNanos())) {
            flags.add(Flag.COMPILING);
        }
        return flags;
    }

    private Totals totals(Part part, Usage used, LoadSpread shares) {
        List<Interval> measured = figures.intervals(part.to).subList(part.from, part.to);
        IntervalSums sums = IntervalSums.of(measured);
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("members", (double) part.members);
        metrics.put("groups", (double) point.groups());
        metrics.put("planned/s", part.producerRate);
        metrics.put("collections", (double) used.gcCount());
        metrics.put("heap MB", used.heapBytes() / 1e6);
        metrics.put("direct MB", used.directBytes() / 1e6);
        Measurement.putCompiling(metrics, used);
        metrics.putAll(part.given);
        metrics.putAll(shares.figures());
        long reader = figures.readerNanos(part.from, part.to);
        if (reader > 0) {
            metrics.put("reader, % of a core", 100.0 * reader / sums.nanos());
        }
        Measurement.putSeries(metrics, measured);
        LockWindow.put(point, metrics);
        double handlerMillis = figures.handlers(part.from, part.to).meanMillis();
        double ceiling = ceilingPerSecond(part.handlers, handlerMillis * point.callsPerRecord());
        if (!Double.isNaN(ceiling)) {
            metrics.put(Totals.HANDLER_MILLIS, handlerMillis);
            metrics.put(Totals.CEILING, ceiling);
            metrics.put(Totals.EFFICIENCY, 1e11 * sums.records() / sums.nanos() / ceiling);
        }
        return sums.with(used, metrics);
    }
}
