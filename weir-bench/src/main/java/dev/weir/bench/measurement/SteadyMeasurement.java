package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.LimitingParty;
import dev.weir.bench.statistics.SteadyState;
import dev.weir.bench.statistics.WarmUp;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.LoadShape;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import dev.weir.driver.Usage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One run at a planned rate: a generator sends, in a process of its own, while the driver reads in one pass, or the driver
 * itself produces by the plan. What counts are the intervals of {@code measureSeconds} after {@code maxWarmUpSeconds} of
 * the plan. Confined to one thread; used once.
 */
public final class SteadyMeasurement {
    /** The driver of that name sends, and is no library under test. */
    public static final String GENERATOR = DriverLauncher.GENERATOR;

    /** What is sent later than this is late. */
    private static final long TOLERATED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** For a driver that sends to connect, before its first record is due. */
    private static final long LEAD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A pass is given up so long after the end of the plan. */
    private static final int GRACE_SECONDS = 30;

    private final DriverSession driver;
    private final @Nullable DriverSession generator; // none where the driver sends
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final boolean isBaseline;
    private final Slices ofDriver = new Slices();
    private final Slices ofGenerator = new Slices();
    private final List<Interval> intervals = new ArrayList<>();
    private final List<Usage> measured = new ArrayList<>();
    private final List<Histogram> latencies = new ArrayList<>();
    private final Histogram lateness = new Histogram(3);
    private final long wallNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();

    private final BackgroundFigures background;
    private Map<String, Double> around = Map.of(); // of the measured part, once that is over

    private int warmUpIntervals;
    private final LoadShape load;
    private long planStartNanos;
    private long measureFromNanos;
    private long measureToNanos;
    private double rate; // since rateFromNanos
    private long rateFromNanos;
    private double dueBefore; // that time
    private long delivered;
    private long brokerNanos;
    private long generatorNanos; // of processor, while it is measured
    private Report.@Nullable Passed ofSender; // when the generator has sent all
    private @Nullable RunNumbers numbers; // where it ends by time

    public SteadyMeasurement(
            DriverProcess driver,
            @Nullable DriverProcess generator,
            BenchCluster cluster,
            WorkloadPoint point,
            boolean isBaseline) {
        this.driver = new DriverSession(driver, cluster, point);
        this.generator = generator == null ? null : new DriverSession(generator, cluster, point);
        this.cluster = cluster;
        this.point = point;
        this.load = point.load();
        this.isBaseline = isBaseline;
        this.background = new BackgroundFigures(cluster, point.takesSeries());
    }

    private enum Part {
        WARM_UP,
        MEASURED,
        AFTER
    }

    /** An interval on the clock that all processes share. */
    private record Slice(long startNanos, long endNanos, Part part) {
        long millis() {
            return Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - startNanos));
        }
    }

    /** The intervals of a process: each begins where the one before ended. */
    private final class Slices {
        private long firstNanos;
        private long lastNanos;

        void begin(Report.First first) {
            firstNanos = first.nanos();
            lastNanos = first.nanos();
        }

        Slice next(Report.Interval interval) {
            long start = lastNanos;
            lastNanos = firstNanos + interval.atNanos();
            // An interval that reaches over the edge by a little is not lost for it.
            long edge = TimeUnit.MILLISECONDS.toNanos(point.intervalMillis()) / 2;
            Part part = start < measureFromNanos - edge
                    ? Part.WARM_UP
                    : lastNanos <= measureToNanos + edge ? Part.MEASURED : Part.AFTER;
            return new Slice(start, lastNanos, part);
        }
    }

    private static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /**
     * The run. The plan begins when the driver has shown, with the one record per partition that {@code topic} holds, that
     * it is there; where it sends, soon.
     *
     * @param seed draws the arrivals
     */
    public Measured run(String topic, long seed) throws InterruptedException {
        driver.hello();
        Map<String, String> plan = Map.of(
                SendPlan.RATE, Integer.toString(point.recordsPerSecond()),
                SendPlan.ARRIVALS, point.arrivals(),
                SendPlan.SHAPE, point.shape(),
                SendPlan.SEED, Long.toString(seed));
        long each = point.recordsPerPartition();
        if (generator == null) {
            plan = beginning(plan);
        } else {
            generator.hello(Scenario.PRODUCE);
        }
        start(driver, topic, each, point.scenario(), point.client(), with(plan, driver.options()));
        if (!(driver.receive() instanceof Report.First first)) {
            throw new RunFailure("it reported something else before its first record");
        }
        ofDriver.begin(first);
        brokerNanos = cluster.cpuNanos();
        if (generator != null) {
            start(generator, topic, each - 1, Scenario.PRODUCE, point.producer(), GeneratorPlan.held(point, seed));
            generator.ready();
            begins(GeneratorPlan.begin(generator, point.recordsPerSecond()));
            return result(complete(heardFromBoth(generator)), topic);
        }
        Report.Passed passed = null;
        while (passed == null) {
            passed = heardFromDriver(driver.receive());
        }
        return result(complete(passed), topic);
    }

    /**
     * The same with a generator, and with orders taken meanwhile: it ends by time, not by number.
     *
     * @param orders what changes it
     * @param cameNumbers takes what comes to the driver
     */
    public Measured run(String topic, long seed, LiveSteady orders, RunNumbers cameNumbers)
            throws InterruptedException {
        DriverSession sender = Objects.requireNonNull(generator);
        numbers = cameNumbers;
        driver.hello();
        sender.hello(Scenario.PRODUCE);
        Map<String, String> options = with(cameNumbers.options(), driver.options());
        options.put(SendPlan.RATE, Integer.toString(point.recordsPerSecond()));
        driver.configure(topic, RunNumbers.MOST_RECORDS, point.scenario(), point.client(), options);
        driver.start(0, LiveGroup.SECONDS);
        if (!(driver.receive() instanceof Report.First first)) {
            throw new RunFailure("it reported something else before its first record");
        }
        ofDriver.begin(first);
        brokerNanos = cluster.cpuNanos();
        sender.configure(
                topic,
                RunNumbers.MOST_RECORDS - 1,
                Scenario.PRODUCE,
                point.producer(),
                GeneratorPlan.held(point, seed));
        sender.start(0, LiveGroup.SECONDS);
        sender.ready();
        begins(GeneratorPlan.begin(sender, point.recordsPerSecond()));
        Report.Passed passed = orders.heard(this, driver, sender, topic, cameNumbers::came);
        LedgerFigures figures =
                cameNumbers.ofOne(passed.ledger(), cluster.topics().ends(topic));
        if (!orders.isWhole() && figures.missing() > 0) {
            throw new RunFailure(figures.missing()
                    + " records had not come when nothing more came for a minute: it lost" + " them, or stands still");
        }
        // Ended before anything was measured, it has phases all the same.
        Set<Flag> broken = figures.isBroken() ? EnumSet.of(Flag.GUARANTEE_BROKEN) : EnumSet.noneOf(Flag.class);
        return orders.changed(
                measured.isEmpty() && orders.hasChanged()
                        ? new Measured(warmUpIntervals, intervals, Totals.NONE, figures, broken, latencies)
                        : result(passed.with(figures), topic));
    }

    /** The plan begins then. */
    private void begins(long startNanos) {
        planStartNanos = startNanos;
        measureFromNanos = startNanos + nanos(point.seconds("maxWarmUpSeconds"));
        measureToNanos = measureFromNanos + nanos(point.seconds("measureSeconds"));
        rate = point.recordsPerSecond();
        rateFromNanos = startNanos;
    }

    /** Since the plan began. */
    double millisSince(long nanos) {
        return (nanos - planStartNanos) / 1e6;
    }

    /** When it is over, with a little more than is measured: the end of a pass is not to be in it. */
    long endNanos() {
        return measureToNanos + nanos(Math.max(1, 2 * point.intervalMillis() / 1e3));
    }

    /** When what is measured is over. */
    long measureToNanos() {
        return measureToNanos;
    }

    double rate() {
        return rate;
    }

    /** How many records were due by then. */
    double dueUntil(long nanos) {
        return dueBefore + rate * (loadUntil(nanos) - loadUntil(rateFromNanos));
    }

    private double loadUntil(long nanos) {
        return load.area(Math.max(0, nanos - planStartNanos) / 1e9);
    }

    /** How many came, without those that were there before. */
    long came() {
        return Math.max(0, delivered - point.partitions());
    }

    /** Another rate from then on. */
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

    /** What was measured before is warm-up. */
    void discardUntil(long nanos) {
        measureFromNanos = Math.max(measureFromNanos, nanos);
        warmUpIntervals = intervals.size();
        measured.clear();
        lateness.reset();
        generatorNanos = 0;
        for (Histogram histogram : latencies) {
            if (!LatencyTags.isOfWarmUp(histogram.getTag())) {
                histogram.setTag(LatencyTags.ofWarmUp(histogram.getTag()));
            }
        }
    }

    /** The plan, which begins soon. */
    private Map<String, String> beginning(Map<String, String> plan) {
        begins(System.nanoTime() + LEAD_NANOS);
        return with(plan, Map.of(SendPlan.START, Long.toString(planStartNanos)));
    }

    private Report.Passed heardFromBoth(DriverSession sender) throws InterruptedException {
        Report.Passed passed = null;
        Report.Passed sent = null;
        while (passed == null || sent == null) {
            // First whether the generator failed: the driver would be waited for in vain.
            Report said = sent == null ? sender.poll() : null;
            if (said != null) {
                sent = heardFromGenerator(said);
            } else if (passed == null) {
                passed = heardFromDriver(driver.receive());
            } else {
                sent = heardFromGenerator(sender.receive());
            }
        }
        ofSender = sent;
        if (!sent.complete()) {
            throw new RunFailure("the generator sent " + sent.records() + " records in time only; see the log");
        }
        return passed;
    }

    private static Map<String, String> with(Map<String, String> some, Map<String, String> others) {
        Map<String, String> both = new TreeMap<>(some);
        both.putAll(others);
        return both;
    }

    private void start(
            DriverSession process,
            String topic,
            long recordsPerPartition,
            Scenario scenario,
            Map<String, String> client,
            Map<String, String> options) {
        process.configure(topic, recordsPerPartition, scenario, client, options);
        double seconds =
                point.load().when(recordsPerPartition * point.partitions() / (double) point.recordsPerSecond());
        process.start(0, seconds + GRACE_SECONDS);
    }

    Report.@Nullable Passed heardFromGenerator(Report report) {
        switch (report) {
            case Report.First first -> ofGenerator.begin(first);
            case Report.Interval interval -> {
                Slice slice = ofGenerator.next(interval);
                Histogram late = sum(decoded(interval));
                keep(late, LatencyTags.LATENESS, slice);
                if (slice.part() == Part.MEASURED) {
                    lateness.add(late);
                    generatorNanos += interval.usage().cpuNanos();
                }
            }
            case Report.Passed passed -> {
                return passed;
            }
            case Report.Hello hello -> throw new RunFailure("hello came twice");
            case Report.Failed failed -> throw new RunFailure("the generator failed: " + failed.message());
            case Report.Ready ready -> throw new RunFailure("the generator was ready twice");
            case Report.Delivered told -> throw unasked();
            case Report.Clock answer -> throw unasked();
        }
        return null;
    }

    Report.@Nullable Passed heardFromDriver(Report report) {
        switch (report) {
            case Report.First first -> throw new RunFailure("its first record came twice");
            case Report.Interval interval -> heardFromDriver(interval, ofDriver.next(interval));
            case Report.Passed passed -> {
                return passed;
            }
            case Report.Hello hello -> throw new RunFailure("hello came twice");
            case Report.Failed failed -> throw new RunFailure(failed.message());
            case Report.Ready ready -> throw unasked();
            case Report.Delivered told -> {
                if (numbers == null) {
                    throw unasked();
                }
                numbers.add(told);
            }
            case Report.Clock answer -> throw unasked();
        }
        return null;
    }

    static RunFailure unasked() {
        return new RunFailure("it told what nobody asked");
    }

    private void heardFromDriver(Report.Interval report, Slice slice) {
        long brokerBefore = brokerNanos;
        brokerNanos = cluster.cpuNanos();
        delivered += report.records();
        if (numbers != null) {
            numbers.told(report.records());
        }
        List<Histogram> timings = decoded(report);
        List<Histogram> ofPartitions = timings.subList(0, point.partitions());
        if (generator == null) {
            Histogram late = timings.getLast();
            keep(late, LatencyTags.LATENESS, slice);
            if (slice.part() == Part.MEASURED) {
                lateness.add(late);
            }
        }
        keep(sum(ofPartitions), LatencyTags.RESPONSE, slice);
        for (int partition = 0; partition < ofPartitions.size(); partition++) {
            keep(ofPartitions.get(partition), LatencyTags.responseOfPartition(partition), slice);
        }
        if (slice.part() == Part.AFTER) {
            endMeasured();
            return;
        }
        double due = dueUntil(slice.endNanos());
        due += generator == null ? 0 : point.partitions(); // Those that were there before.
        long startMillis = TimeUnit.NANOSECONDS.toMillis(slice.startNanos() - ofDriver.firstNanos);
        intervals.add(Measurement.interval(
                startMillis,
                slice.millis(),
                report,
                Math.max(0, (long) due - delivered),
                OptionalCounts.minus(brokerNanos, brokerBefore),
                background.series(System.nanoTime())));
        if (slice.part() == Part.WARM_UP) {
            warmUpIntervals = intervals.size();
        } else {
            if (measured.isEmpty()) {
                background.begin();
                background.beginPass();
            }
            background.sample();
            measured.add(report.usage());
        }
    }

    private void endMeasured() {
        if (around.isEmpty() && !measured.isEmpty()) {
            background.endPass();
            around = background.figures();
        }
    }

    static List<Histogram> decoded(Report.Interval interval) {
        List<Histogram> histograms = new ArrayList<>();
        for (String text : interval.timings()) {
            try {
                histograms.add(
                        text.isEmpty()
                                ? new Histogram(3)
                                : Histogram.decodeFromCompressedByteBuffer(
                                        ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0));
            } catch (DataFormatException | IllegalArgumentException e) {
                throw new RunFailure("it said what is no histogram: " + e.getMessage());
            }
        }
        return histograms;
    }

    private static Histogram sum(List<Histogram> some) {
        Histogram sum = new Histogram(3);
        some.forEach(sum::add);
        return sum;
    }

    private void keep(Histogram histogram, String tag, Slice slice) {
        if (histogram.getTotalCount() > 0 && slice.part() != Part.AFTER) {
            histogram.setTag(slice.part() == Part.WARM_UP ? LatencyTags.ofWarmUp(tag) : tag);
            histogram.setStartTimeStamp(TimeUnit.NANOSECONDS.toMillis(wallNanos + slice.startNanos()));
            histogram.setEndTimeStamp(TimeUnit.NANOSECONDS.toMillis(wallNanos + slice.endNanos()));
            latencies.add(histogram);
        }
    }

    private Report.Passed complete(Report.Passed passed) {
        if (!passed.complete()) {
            throw new RunFailure((point.recordsPerPartition() * point.partitions() - passed.records())
                    + " records had not come " + GRACE_SECONDS
                    + " s after the last one was sent: it lost them, or the rate is more than it can do");
        }
        return passed;
    }

    private Measured result(Report.Passed passed, String topic) {
        Totals totals = totals(passed);
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        flags.addAll(
                LimitingParty.ofProcessorTime(totals, driver.cores(), point.brokers(), point.streams(), isBaseline));
        if (LimitingParty.isGeneratorBound(lateness, TOLERATED_NANOS)) {
            flags.add(Flag.GENERATOR_BOUND);
        }
        // The rate goes by plan, so what warms up is the cost. Under a load with a shape that follows the shape, in a
        // second and
        // in a record, and says nothing of warmth: compilers do.
        SteadyState.Finding cost = SteadyState.of(intervals.stream()
                .mapToDouble(interval -> interval.cpuNanos() / (double) interval.lengthMillis())
                .toArray());
        boolean isShaped = point.load() != LoadShape.CONSTANT;
        if (!isShaped && (!cost.steady() || cost.from() > warmUpIntervals)) {
            flags.add(Flag.NOT_STEADY);
        }
        Usage used = used();
        if (WarmUp.isCompiling(used.compileMillis(), used.cpuNanos())) {
            flags.add(Flag.COMPILING);
        }
        LedgerFigures ledger = cluster.written().checked(point, topic, passed.ledger());
        if (ledger.isBroken()) {
            flags.add(Flag.GUARANTEE_BROKEN);
        }
        return new Measured(warmUpIntervals, intervals, totals, ledger, flags, latencies);
    }

    private Usage used() {
        return measured.stream().reduce(Usage::plus).orElseThrow();
    }

    private List<Map<String, Double>> measuredSeries() {
        return intervals.subList(warmUpIntervals, intervals.size()).stream()
                .map(Interval::figures)
                .toList();
    }

    private Totals totals(Report.Passed passed) {
        endMeasured();
        if (measured.isEmpty()) {
            throw new RunFailure("it reported nothing in the time that is measured");
        }
        IntervalSums sums = IntervalSums.of(intervals.subList(warmUpIntervals, intervals.size()));
        Usage used = used();
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("% of a core", 100.0 * used.cpuNanos() / sums.nanos());
        metrics.put("allocated MB", used.allocatedBytes() / 1e6);
        metrics.put("heap MB", used.heapBytes() / 1e6);
        metrics.put("direct MB", used.directBytes() / 1e6);
        Measurement.putCompiling(metrics, used);
        metrics.put("collections", (double) used.gcCount());
        metrics.put("collection ms", (double) used.gcMillis());
        Usage whole = passed.usage();
        if (whole.voluntarySwitches() >= 0) {
            metrics.put("switches/s", 1e9 * (whole.voluntarySwitches() + whole.involuntarySwitches()) / passed.nanos());
        }
        metrics.put("join ms", passed.joinNanos() / 1e6);
        if (generator != null) {
            metrics.put("generator, % of a core", 100.0 * generatorNanos / sums.nanos());
        }
        SeriesBook.means(measuredSeries()).forEach(metrics::putIfAbsent);
        metrics.putAll(passed.client());
        metrics.putAll(around);
        if (ofSender != null) {
            DriverSession.putSender(ofSender, metrics);
        }
        return sums.with(used, metrics);
    }
}
