package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.BackgroundFigures;
import dev.weir.bench.figures.IntervalSums;
import dev.weir.bench.figures.OptionalCounts;
import dev.weir.bench.figures.ReportedTimings;
import dev.weir.bench.measurement.SteadyPlan.Part;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Totals;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Collects the reports of a steady run's driver and generator, and figures of the brokers and the machine. Assigns each
 * interval to a part of the plan, such as the warm-up. Confined to the thread of the run.
 */
final class SteadyBook {
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final SteadyPlan plan;
    private final boolean driverSends;
    private final BackgroundFigures background;

    private final Slices ofDriver = new Slices();
    private final Slices ofGenerator = new Slices();
    private final List<Interval> intervals = new ArrayList<>(); // intervals of the driver
    private int warmUpIntervals;
    private final List<Usage> measured = new ArrayList<>(); // usage per measured interval of the driver
    private final LatencyLog latencies = new LatencyLog();
    private final Histogram lateness = new Histogram(3); // lateness in the measured part
    private Map<String, Double> around = Map.of(); // figures of the measured part, set when it is over
    private long delivered;
    private long brokerNanos;
    private long generatorNanos; // processor time of the generator in the measured part
    private @Nullable RunNumbers numbers; // null if the run ends after a number of records

    /**
     * Creates the book of a run that has not begun.
     *
     * @param driverSends whether the driver itself sends records at their planned times, without a generator
     */
    SteadyBook(BenchCluster cluster, WorkloadPoint point, SteadyPlan plan, boolean driverSends) {
        this.cluster = cluster;
        this.point = point;
        this.plan = plan;
        this.driverSends = driverSends;
        this.background = new BackgroundFigures(cluster, point.takesSeries());
    }

    /** An interval on the clock that all processes share, with the part of the plan to which it belongs. */
    private record Slice(long startNanos, long endNanos, Part part) {
        long millis() {
            return Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - startNanos));
        }
    }

    /** The consecutive intervals of a process. Each interval begins where the previous interval ended. */
    private static final class Slices {
        private long firstNanos;
        private long lastNanos;

        void begin(Report.First first) {
            firstNanos = first.nanos();
            lastNanos = first.nanos();
        }

        Slice next(Report.Interval interval, SteadyPlan plan) {
            long start = lastNanos;
            lastNanos = firstNanos + interval.atNanos();
            return new Slice(start, lastNanos, plan.part(start, lastNanos));
        }
    }

    /**
     * Makes the run end at a planned time, and passes the driver's record numbers to {@code ofDriver}. Call it before
     * the run begins.
     */
    void keepNumbers(RunNumbers ofDriver) {
        numbers = ofDriver;
    }

    /** Notes that the driver has read its first record. */
    void begin(Report.First first) {
        ofDriver.begin(first);
        brokerNanos = cluster.cpuNanos();
    }

    /**
     * Takes a report of the generator. Returns the report of the generator's pass when the pass is over, else null.
     *
     * @throws RunFailure if the generator has failed or sent an unexpected report
     */
    Report.@Nullable Passed heardFromGenerator(Report report) {
        switch (report) {
            case Report.First first -> ofGenerator.begin(first);
            case Report.Interval interval -> {
                Slice slice = ofGenerator.next(interval, plan);
                keepLateness(ReportedTimings.sum(ReportedTimings.of(interval)), slice);
                if (slice.part() == Part.MEASURED) {
                    generatorNanos += interval.usage().cpuNanos();
                }
            }
            case Report.Passed passed -> {
                return passed;
            }
            case Report.Hello hello -> throw new RunFailure("it sent hello twice");
            case Report.Failed failed -> throw new RunFailure("the generator failed: " + failed.message());
            case Report.Ready ready -> throw new RunFailure("the generator was ready twice");
            case Report.Delivered told -> throw RunFailure.unasked();
            case Report.Clock answer -> throw RunFailure.unasked();
        }
        return null;
    }

    /**
     * Takes a report of the driver. Returns the report of the driver's pass when the pass is over, else null.
     *
     * @throws RunFailure if the driver has failed or sent an unexpected report
     */
    Report.@Nullable Passed heardFromDriver(Report report) {
        switch (report) {
            case Report.First first -> throw new RunFailure("it reported its first record twice");
            case Report.Interval interval -> heardFromDriver(interval, ofDriver.next(interval, plan));
            case Report.Passed passed -> {
                return passed;
            }
            case Report.Hello hello -> throw new RunFailure("it sent hello twice");
            case Report.Failed failed -> throw new RunFailure(failed.message());
            case Report.Ready ready -> throw RunFailure.unasked();
            case Report.Delivered told -> {
                RunNumbers kept = numbers;
                if (kept == null) {
                    throw RunFailure.unasked();
                }
                kept.add(told);
            }
            case Report.Clock answer -> throw RunFailure.unasked();
        }
        return null;
    }

    private void heardFromDriver(Report.Interval report, Slice slice) {
        long brokerBefore = brokerNanos;
        brokerNanos = cluster.cpuNanos();
        delivered += report.records();
        RunNumbers kept = numbers;
        if (kept != null) {
            kept.told(report.records());
        }
        List<Histogram> timings = ReportedTimings.of(report);
        List<Histogram> ofPartitions = timings.subList(0, point.partitions());
        if (driverSends) {
            keepLateness(timings.getLast(), slice);
        }
        if (slice.part() != Part.AFTER) {
            latencies.keepResponses(
                    ReportedTimings.sum(ofPartitions),
                    slice.part() == Part.WARM_UP,
                    slice.startNanos(),
                    slice.endNanos());
        }
        for (int partition = 0; partition < ofPartitions.size(); partition++) {
            keep(ofPartitions.get(partition), LatencyTags.responseOfPartition(partition), slice);
        }
        if (slice.part() == Part.AFTER) {
            endMeasured();
            return;
        }
        double due = plan.dueUntil(slice.endNanos());
        due += driverSends ? 0 : point.partitions(); // each partition had one record before sending began
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

    private void keepLateness(Histogram late, Slice slice) {
        keep(late, LatencyTags.LATENESS, slice);
        if (slice.part() == Part.MEASURED) {
            lateness.add(late);
        }
    }

    private void keep(Histogram histogram, String tag, Slice slice) {
        if (slice.part() != Part.AFTER) {
            latencies.keep(histogram, tag, slice.part() == Part.WARM_UP, slice.startNanos(), slice.endNanos());
        }
    }

    private void endMeasured() {
        if (around.isEmpty() && !measured.isEmpty()) {
            background.endPass();
            around = background.figures();
        }
    }

    void discardUntil(long nanos) {
        plan.measureFrom(nanos);
        warmUpIntervals = intervals.size();
        measured.clear();
        lateness.reset();
        generatorNanos = 0;
        latencies.discard();
    }

    /** The number of received records, without the records that existed before the plan. */
    long came() {
        return Math.max(0, delivered - point.partitions());
    }

    boolean hasMeasured() {
        return !measured.isEmpty();
    }

    /** The intervals of the driver; the first {@link #warmUpIntervals} are not measured. */
    List<Interval> intervals() {
        return intervals;
    }

    int warmUpIntervals() {
        return warmUpIntervals;
    }

    List<Histogram> latencies() {
        return latencies.all();
    }

    Histogram lateness() {
        return lateness;
    }

    Usage used() {
        return measured.stream().reduce(Usage::plus).orElseThrow();
    }

    /**
     * Returns the totals of the measured part, which must be over.
     *
     * @param passed the driver's report of its pass
     * @param sent the generator's report of its pass; null if the driver itself sends or the report is not needed
     * @throws RunFailure if nothing was measured
     */
    Totals totals(Report.Passed passed, Report.@Nullable Passed sent) {
        endMeasured();
        if (measured.isEmpty()) {
            throw new RunFailure("it reported nothing in the time that is measured");
        }
        List<Interval> counted = intervals.subList(warmUpIntervals, intervals.size());
        IntervalSums sums = IntervalSums.of(counted);
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
        if (!driverSends) {
            metrics.put("generator, % of a core", 100.0 * generatorNanos / sums.nanos());
        }
        Measurement.putSeries(metrics, counted);
        metrics.putAll(passed.client());
        metrics.putAll(around);
        if (sent != null) {
            DriverSession.putSender(sent, metrics);
        }
        return sums.with(used, metrics);
    }
}
