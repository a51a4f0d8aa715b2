package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.beans.BrokerTimes;
import dev.weir.bench.figures.ColdStart;
import dev.weir.bench.figures.Fetches;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.figures.OptionalCounts;
import dev.weir.bench.figures.PolledSizes;
import dev.weir.bench.figures.SeriesBook;
import dev.weir.bench.figures.Settling;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.LimitingParty;
import dev.weir.bench.statistics.WarmUp;
import dev.weir.bench.workload.Handlers;
import dev.weir.bench.workload.LockWindow;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Pass;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * One run of a driver that processes its topic in several passes: warm-up passes until the rate is steady, and then
 * measured passes. Confined to one thread; used once.
 *
 * <p>Passes are measured until they last {@code measureSeconds} in total. The warm-up is cut off after
 * {@code maxWarmUpSeconds}, and the run is then flagged as not steady.
 */
public final class Measurement {
    private static final double LEAST_PASS_SECONDS = 0.3;

    // Minimum duration of a pass that ends because all of its records have arrived. Shorter passes would mainly measure
    // clock error.
    private static final long LEAST_TIMED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    // Fetches in this time at the start of a pass are not counted, because they fill the client's buffers.
    private static final long FILLED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    // Fraction of the topic to read in a pass. A client at the end of a topic takes longer to close.
    private static final double PASS_SHARE = 0.9;

    // Fraction of the throughput ceiling that counts as full speed.
    private static final double UP_TO_SPEED = 0.98;

    private final PassSource passes;
    private final WorkloadPoint point;
    private final boolean isBaseline;
    private final List<Interval> intervals = new ArrayList<>();
    private final WarmUp warmUp = new WarmUp();
    private final List<Outcome> measured = new ArrayList<>();
    private final ColdStart coldStart = new ColdStart();

    private int warmUpIntervals;
    private long activeMillis;
    private long lastPassMillis;
    private LedgerFigures ledger = new LedgerFigures(0, 0, 0, 0, 0);

    /** Creates the measurement of a run. The measurement closes {@code passes} at the end of the run. */
    public Measurement(PassSource passes, WorkloadPoint point, boolean isBaseline) {
        this.passes = passes;
        this.point = point;
        this.isBaseline = isBaseline;
    }

    /**
     * The outcome of a finished pass.
     *
     * @param seconds duration by the driver's own clock
     * @param fetches null if the pass was too short or its fetches are not counted
     */
    private record Outcome(
            Report.Passed passed,
            double seconds,
            long brokerCpuNanos,
            @Nullable Fetches fetches) {}

    /** Executes the run. */
    public Measured run(String topic) throws InterruptedException {
        try (passes) {
            return measured(topic);
        }
    }

    private Measured measured(String topic) throws InterruptedException {
        passes.configure(topic);
        boolean steady = warmUp(topic);
        warmUpIntervals = intervals.size();
        int warmUpSize = warmUp.size();
        double leftSeconds = point.seconds("measureSeconds");
        passes.beginMeasured();
        while (leftSeconds > 0) {
            Outcome outcome = pass(topic, point.seconds("measureSeconds"), true);
            measured.add(outcome);
            leftSeconds -= outcome.seconds();
        }
        Map<String, Double> around = passes.around();
        if (point.scenario() == Scenario.COPY) {
            // Drop the fetch figures, because they include the fetches with which the harness reads the output.
            around.keySet().removeIf(name -> name.startsWith(BrokerTimes.FETCHES));
        }
        ledger = passes.checked(topic, ledger);
        Totals totals = totals(around);
        Set<Flag> flags = limits(totals);
        if (!steady || warmUp.driftsFrom(warmUpSize)) {
            flags.add(Flag.NOT_STEADY);
        }
        if (WarmUp.isCompiling(used().compileMillis(), used().cpuNanos())) {
            flags.add(Flag.COMPILING);
        }
        if (ledger.isBroken()) {
            flags.add(Flag.GUARANTEE_BROKEN);
        }
        return new Measured(warmUpIntervals, intervals, totals, ledger, flags, List.of());
    }

    /**
     * The components that limited the run, by processor time. Brokers are excluded if the driver sent very small
     * requests.
     */
    private Set<Flag> limits(Totals totals) {
        boolean isWriting = point.scenario() == Scenario.PRODUCE;
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        flags.addAll(LimitingParty.ofProcessorTime(
                totals,
                passes.cores(),
                point.brokers(),
                point.streams(),
                isBaseline,
                isWriting || LimitingParty.asksAlways(totals)));
        if (isWriting && LimitingParty.sendsLittle(totals)) {
            flags.remove(Flag.BROKER_BOUND);
            flags.remove(Flag.BASELINE_BROKER_BOUND);
        }
        return flags;
    }

    private boolean warmUp(String topic) throws InterruptedException {
        double least = point.seconds("minWarmUpSeconds");
        double most = point.seconds("maxWarmUpSeconds");
        double warmSeconds = 0;
        while (warmSeconds < most) {
            double seconds = Math.min(Math.max(1, least), Math.max(LEAST_PASS_SECONDS, most - warmSeconds));
            warmSeconds += pass(topic, seconds, false).seconds();
            if (warmSeconds >= least && warmUp.isOver()) {
                return true;
            }
        }
        return false;
    }

    private Usage used() {
        return measured.stream()
                .map(outcome -> outcome.passed().usage())
                .reduce(Usage::plus)
                .orElseThrow();
    }

    /**
     * Runs a pass that lasts for {@code seconds} after it has settled. A warm-up pass also reports its intervals before
     * it has settled.
     */
    private Outcome pass(String topic, double seconds, boolean isMeasured) throws InterruptedException {
        long most = (long) (point.recordsPerPartition() * point.partitions() * PASS_SHARE);
        Settling settling = new Settling(point.seconds("settleSeconds"));
        double limit = point.seconds("settleSeconds") + seconds;
        String group = passes.start(Math.max(1, most), limit);
        Duration patience = DriverSession.PATIENCE.plusSeconds((long) limit);
        long brokerBefore = 0;
        long brokerLast = 0;
        Fetches from = null;
        Fetches fetched = null;
        long records = 0;
        long bytes = 0;
        while (true) {
            switch (passes.receive(patience)) {
                case Report.First first -> {
                    brokerBefore = passes.brokerCpuNanos();
                    brokerLast = brokerBefore;
                    lastPassMillis = 0;
                    if (settling.isOver()) {
                        passes.passBegins(isMeasured);
                    }
                }
                case Report.Interval interval -> {
                    long broker = passes.brokerCpuNanos();
                    keep(interval, OptionalCounts.minus(broker, brokerLast), settling.isOver(), isMeasured);
                    brokerLast = broker;
                    if (settling.isOver()) {
                        passes.sample();
                    } else if (settling.endsWith(interval)) {
                        brokerBefore = broker;
                        passes.passBegins(isMeasured);
                    }
                    records += interval.records();
                    bytes += interval.bytes();
                    if (from == null && passes.countsFetches() && interval.atNanos() >= FILLED_NANOS) {
                        from = fetches(records, bytes, interval);
                    } else if (from != null && interval.last()) {
                        // Count before the client closes: a closing client may fetch records that it does not need.
                        fetched = fetches(records, bytes, interval).since(from);
                    }
                    if (interval.last() && settling.isOver()) {
                        passes.passEnds();
                    }
                }
                case Report.Passed said -> {
                    Report.Passed passed = passes.copied(topic, group, said);
                    requireTimed(passed);
                    coldStart.ends(passed.joinNanos());
                    ledger = ledger.plus(passed.ledger());
                    Report.Passed kept = isMeasured ? settling.rest(passed, point.seconds("measureSeconds")) : passed;
                    // With COPY, the duration in "kept" is measured from the output topic and can be very short.
                    double own = (point.scenario() == Scenario.COPY ? said : kept).nanos() / 1e9;
                    return new Outcome(kept, own, OptionalCounts.minus(brokerLast, brokerBefore), fetched);
                }
                case Report.Hello hello -> throw new RunFailure("it sent hello twice");
                case Report.Failed failed -> throw new RunFailure(failed.message());
                case Report.Ready ready -> throw RunFailure.unasked();
                case Report.Delivered told -> throw RunFailure.unasked();
                case Report.Clock answer -> throw RunFailure.unasked();
            }
        }
    }

    private Fetches fetches(long records, long bytes, Report.Interval interval) {
        return new Fetches(passes.fetched(), records, bytes, interval.atNanos());
    }

    private void requireTimed(Report.Passed passed) {
        if (passed.complete() && passed.nanos() < LEAST_TIMED_NANOS) {
            long enough = point.recordsPerPartition()
                    * point.partitions()
                    * Math.ceilDiv(20 * LEAST_TIMED_NANOS, Math.max(LEAST_TIMED_NANOS / 1000, passed.nanos()));
            throw new RunFailure(String.format(
                    Locale.ROOT,
                    "all %,d records of a pass came within %.3f ms, which is too short to be timed:"
                            + " set topic.records to %d or more",
                    passed.records(),
                    passed.nanos() / 1e6,
                    enough));
        }
    }

    /** Keeps an interval unless it belongs to the settling time of a measured pass. */
    private void keep(Report.Interval interval, long brokerCpuNanos, boolean isSettled, boolean isMeasured) {
        coldStart.add(interval);
        long passMillis = TimeUnit.NANOSECONDS.toMillis(interval.atNanos());
        long lengthMillis = Math.max(1, passMillis - lastPassMillis);
        if (isSettled || !isMeasured) {
            intervals.add(
                    interval(activeMillis, lengthMillis, interval, Interval.UNKNOWN, brokerCpuNanos, passes.series()));
        }
        activeMillis += lengthMillis;
        lastPassMillis = passMillis;
        if (isSettled && lengthMillis >= point.intervalMillis() * 0.8) {
            warmUp.add(
                    lengthMillis,
                    interval.records(),
                    interval.usage().cpuNanos(),
                    interval.usage().compileMillis());
        }
    }

    static Interval interval(
            long startMillis,
            long lengthMillis,
            Report.Interval report,
            long lagRecords,
            long brokerCpuNanos,
            Map<String, Double> around) {
        Map<String, Double> figures = new TreeMap<>(report.figures());
        figures.putAll(around);
        PolledSizes polls = new PolledSizes();
        polls.add(report.polls());
        polls.put(figures);
        return new Interval(
                startMillis,
                lengthMillis,
                report.records(),
                report.bytes(),
                report.usage().cpuNanos(),
                report.usage().allocatedBytes(),
                report.usage().gcMillis(),
                lagRecords,
                report.usage().heapBytes(),
                report.usage().directBytes(),
                brokerCpuNanos,
                figures,
                report.polls());
    }

    private Totals totals(Map<String, Double> around) {
        long records = 0;
        long bytes = 0;
        long nanos = 0;
        long broker = 0;
        double joinMillis = 0;
        for (Outcome outcome : measured) {
            Report.Passed passed = outcome.passed();
            records += passed.records();
            bytes += passed.bytes();
            nanos += passed.nanos();
            broker = OptionalCounts.plus(broker, outcome.brokerCpuNanos());
            joinMillis += passed.joinNanos() / 1e6;
        }
        Usage sum = used();
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("passes", (double) measured.size());
        metrics.put("join ms", joinMillis / measured.size());
        metrics.put("collections", (double) sum.gcCount());
        if (sum.voluntarySwitches() >= 0) {
            metrics.put("voluntary switches", (double) sum.voluntarySwitches());
            metrics.put("involuntary switches", (double) sum.involuntarySwitches());
        }
        metrics.put("heap MB", sum.heapBytes() / 1e6);
        metrics.put("direct MB", sum.directBytes() / 1e6);
        putCompiling(metrics, sum);
        Fetches.put(
                measured.stream().map(Outcome::fetches).filter(Objects::nonNull).toList(),
                !point.compression().equals("none"),
                metrics);
        putClient(metrics);
        putSeries(metrics, intervals.subList(warmUpIntervals, intervals.size()));
        LockWindow.put(point, metrics);
        metrics.putAll(around);
        metrics.putAll(passes.perRecord(sum.cpuNanos(), records));
        double ceiling = Handlers.ceilingPerSecond(point);
        if (!Double.isNaN(ceiling)) {
            metrics.put(Totals.NOMINAL, 1e11 * records / nanos / ceiling);
        }
        putCeiling(metrics, 1e9 * records / nanos);
        long switches =
                sum.voluntarySwitches() < 0 ? Interval.UNKNOWN : sum.voluntarySwitches() + sum.involuntarySwitches();
        return new Totals(
                records, bytes, nanos, sum.cpuNanos(), sum.allocatedBytes(), sum.gcMillis(), switches, broker, metrics);
    }

    /**
     * Stores the poll sizes of the measured intervals, and the mean of every series whose name is not in
     * {@code metrics}.
     */
    static void putSeries(Map<String, Double> metrics, List<Interval> measured) {
        PolledSizes polls = new PolledSizes();
        measured.forEach(interval -> polls.add(interval.polls()));
        polls.put(metrics);
        SeriesBook.means(measured.stream().map(Interval::figures).toList()).forEach(metrics::putIfAbsent);
    }

    /** Stores the throughput ceiling, computed from the handlers' actual blocking time. */
    private void putCeiling(Map<String, Double> metrics, double recordsPerSecond) {
        double handlerMillis = measured.stream()
                .map(outcome -> outcome.passed().handlers())
                .reduce(HandlerTime.NONE, HandlerTime::plus)
                .meanMillis();
        double ceiling = Handlers.ceilingPerSecond(point, handlerMillis);
        if (Double.isNaN(ceiling)) {
            return;
        }
        metrics.put(Totals.HANDLER_MILLIS, handlerMillis);
        metrics.put(Totals.CEILING, ceiling);
        metrics.put(Totals.EFFICIENCY, 100 * recordsPerSecond / ceiling);
        double seconds = coldStart.secondsTo(UP_TO_SPEED * ceiling);
        if (!Double.isNaN(seconds)) {
            metrics.put(Totals.SECONDS_TO_98, seconds);
        }
    }

    static void putCompiling(Map<String, Double> metrics, Usage used) {
        if (used.compileMillis() >= 0 && used.cpuNanos() > 0) {
            metrics.put("compiling, % of CPU", 1e8 * used.compileMillis() / used.cpuNanos());
        }
    }

    /** Stores each figure reported by the clients, after combining its values from all passes with {@link #ofAll}. */
    private void putClient(Map<String, Double> metrics) {
        Map<String, List<Double>> figures = new LinkedHashMap<>();
        for (Outcome outcome : measured) {
            outcome.passed()
                    .client()
                    .forEach((name, figure) -> figures.computeIfAbsent(name, n -> new ArrayList<>())
                            .add(figure));
        }
        figures.forEach((name, all) -> metrics.put(name, ofAll(name, all)));
    }

    /**
     * Combines the values of a figure from several passes: the maximum of clock errors, the minimum of the earliest
     * times, the sum of early records, and the average of all others.
     */
    public static double ofAll(String name, List<Double> all) {
        DoubleStream figures = all.stream().mapToDouble(figure -> figure);
        OptionalDouble one = switch (name) {
            case DriverSession.CLOCK_ERROR -> figures.max();
            case Pass.EARLIEST_MILLIS -> figures.min();
            case Pass.EARLY_RECORDS -> OptionalDouble.of(figures.sum());
            default -> figures.average();
        };
        return one.orElse(Double.NaN);
    }
}
