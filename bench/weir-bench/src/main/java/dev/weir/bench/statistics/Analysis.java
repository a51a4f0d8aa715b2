package dev.weir.bench.statistics;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.PhaseRuns;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The analysis of a finished or unfinished campaign: for each point and driver, the medians and the ratio to the
 * baseline with its interval and verdict. The campaign's points come first, then the phases of changed runs as
 * additional points. Immutable, thread-safe.
 */
public record Analysis(Campaign campaign, List<PointResult> points) {

    /** Confidence level of all intervals. */
    public static final double CONFIDENCE = 0.95;

    /** Smallest number of rounds for a verdict. */
    public static final int MIN_ROUNDS = 3;

    /** Smallest number of drivers for an estimate of their typical deviation. */
    private static final int MIN_DRIVERS = 4;

    /** Smallest relative difference that matters. */
    public static final double MARGIN = 0.05;

    /** Analyses the runs stored in the folder so far. */
    public static Analysis of(ResultsFolder folder) {
        return of(folder.campaign(), folder.runs(), run -> LatencyTags.merge(folder.latencyIntervals(run.key())));
    }

    /**
     * Analyses these runs.
     *
     * @param latencies maps a run to its latency histograms by tag; the map is empty if the run has no latencies
     */
    public static Analysis of(Campaign campaign, List<Run> runs, Function<Run, Map<String, Histogram>> latencies) {
        List<PointFigures> figures = new ArrayList<>();
        List<PointFigures> ofPhases = new ArrayList<>();
        for (Point point : campaign.points()) {
            List<Run> atPoint =
                    runs.stream().filter(run -> run.point().equals(point.id())).toList();
            figures.add(PointFigures.of(campaign, point, atPoint, latencies));
            PhaseRuns.of(point, atPoint)
                    .forEach((phase, inIt) -> ofPhases.add(PointFigures.of(campaign, phase, inIt, latencies)));
        }
        figures.addAll(ofPhases);
        Map<Metric, double[]> adjusted = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            adjusted.put(
                    metric,
                    FalseDiscovery.adjust(figures.stream()
                            .flatMapToDouble(f -> f.testedP(metric).stream().mapToDouble(p -> p))
                            .toArray()));
        }
        Map<Metric, Integer> next = new EnumMap<>(Metric.class);
        List<PointResult> points = new ArrayList<>();
        for (PointFigures atPoint : figures) {
            // The order must be the same as in testedP.
            points.add(atPoint.result(
                    metric -> adjusted.getOrDefault(metric, new double[0])[next.merge(metric, 1, Integer::sum) - 1]));
        }
        return new Analysis(campaign, List.copyOf(points));
    }

    /**
     * Returns the ratio of two drivers at a point, with the interval computed as if {@code other} were the baseline.
     */
    static RatioInterval ratio(ResultsFolder folder, Point point, String driver, String other, Metric metric) {
        PointFigures figures = new PointFigures(folder.campaign(), point);
        for (Run run : folder.runs()) {
            if (run.point().equals(point.id())) {
                figures.add(run, LatencyTags.merge(folder.latencyIntervals(run.key())));
            }
        }
        return figures.interval(
                Objects.requireNonNull(figures.drivers.get(driver)),
                Objects.requireNonNull(figures.drivers.get(other)),
                metric);
    }

    private static final class PointFigures {
        private final Campaign campaign;
        private final Point point;
        private final Map<String, DriverFigures> drivers = new LinkedHashMap<>();

        PointFigures(Campaign campaign, Point point) {
            this.campaign = campaign;
            this.point = point;
            for (Driver driver : campaign.drivers()) {
                drivers.put(driver.name(), new DriverFigures(campaign.rounds()));
            }
        }

        static PointFigures of(
                Campaign campaign, Point point, List<Run> runs, Function<Run, Map<String, Histogram>> latencies) {
            PointFigures figures = new PointFigures(campaign, point);
            runs.forEach(run -> figures.add(run, latencies.apply(run)));
            return figures;
        }

        void add(Run run, Map<String, Histogram> latencies) {
            DriverFigures driver = drivers.get(run.driver());
            if (driver != null && run.round() < campaign.rounds()) {
                driver.add(run, latencies);
            }
        }

        /**
         * The p-values of the drivers that are tested against the baseline. The control (A/A) measures the noise and is
         * not tested.
         */
        List<Double> testedP(Metric metric) {
            List<Double> p = new ArrayList<>();
            drivers.forEach((name, driver) -> {
                RatioInterval interval = interval(name, driver, metric);
                if (interval.rounds() >= MIN_ROUNDS && !name.equals(campaign.control())) {
                    p.add(interval.p());
                }
            });
            return p;
        }

        PointResult result(Function<Metric, Double> adjustedP) {
            Map<Metric, Double> noise = noise();
            List<DriverResult> results = new ArrayList<>();
            drivers.forEach((name, driver) -> {
                Map<Metric, Comparison> comparisons = new EnumMap<>(Metric.class);
                for (Metric metric : Metric.values()) {
                    RatioInterval interval = interval(name, driver, metric);
                    if (interval.rounds() == 0) {
                        continue;
                    }
                    boolean control = name.equals(campaign.control());
                    boolean tested = interval.rounds() >= MIN_ROUNDS && !control;
                    double p = tested ? adjustedP.apply(metric) : interval.p();
                    double factor = control ? Double.NaN : noise.getOrDefault(metric, Double.NaN);
                    Verdict verdict = Verdict.of(interval, factor, p, MARGIN, metric.higherIsBetter());
                    comparisons.put(
                            metric,
                            new Comparison(interval, p, verdict, driver.bounds().contains(metric)));
                }
                results.add(driver.result(name, comparisons));
            });
            return new PointResult(point, noise, List.copyOf(results));
        }

        private Map<Metric, Double> noise() {
            Map<Metric, Double> noise = new EnumMap<>(Metric.class);
            DriverFigures control = campaign.control() == null ? null : drivers.get(campaign.control());
            if (control != null) {
                for (Metric metric : Metric.values()) {
                    RatioInterval interval = interval(campaign.control(), control, metric);
                    // Without an interval for the control, any difference may be noise.
                    noise.put(metric, interval.isBounded() ? interval.farthestFactor() : Double.POSITIVE_INFINITY);
                }
            }
            return noise;
        }

        private RatioInterval interval(@Nullable String name, DriverFigures driver, Metric metric) {
            DriverFigures baseline = drivers.get(campaign.baseline());
            if (baseline == null || campaign.baseline().equals(name)) {
                return RatioInterval.ofPairs(new double[0], new double[0], CONFIDENCE);
            }
            return interval(driver, baseline, metric);
        }

        private RatioInterval interval(DriverFigures driver, DriverFigures baseline, Metric metric) {
            return RatioInterval.ofPairs(
                    driver.of(metric), baseline.of(metric), CONFIDENCE, leastDeviation(baseline, metric));
        }

        /**
         * The typical deviation of the drivers' ratios from round to round, a lower bound for each driver's deviation.
         */
        private double leastDeviation(DriverFigures baseline, Metric metric) {
            double[] all = drivers.values().stream()
                    .filter(driver -> driver != baseline)
                    .mapToDouble(driver -> RatioInterval.deviation(driver.of(metric), baseline.of(metric)))
                    .filter(Double::isFinite)
                    .toArray();
            return all.length < MIN_DRIVERS ? 0 : Samples.median(all);
        }
    }

    /** The figures of one driver at one point. Figures of invalid runs are NaN. */
    private static final class DriverFigures {
        private final Map<Metric, double[]> byRound = new EnumMap<>(Metric.class);
        private final Map<String, List<Double>> metrics = new LinkedHashMap<>();
        private final Map<Flag, Integer> flags = new EnumMap<>(Flag.class);
        private final Map<String, Histogram> latencies = new HashMap<>();
        private final List<Run> runs = new ArrayList<>();
        private int quoted;
        private int heldBack;

        DriverFigures(int rounds) {
            for (Metric metric : Metric.values()) {
                double[] none = new double[rounds];
                Arrays.fill(none, Double.NaN);
                byRound.put(metric, none);
            }
        }

        void add(Run run, Map<String, Histogram> latenciesOfRun) {
            runs.add(run);
            run.flags().forEach(flag -> flags.merge(flag, 1, Integer::sum));
            if (!run.isValid()) {
                return;
            }
            quoted++;
            heldBack += run.flags().contains(Flag.BROKER_BOUND) ? 1 : 0;
            byRound.forEach((metric, values) -> values[run.round()] = metric.of(run, latenciesOfRun));
            run.totals()
                    .metrics()
                    .forEach((name, value) -> metrics.computeIfAbsent(name, n -> new ArrayList<>())
                            .add(value));
            List<Histogram> both = new ArrayList<>(latencies.values());
            both.addAll(latenciesOfRun.values());
            latencies.putAll(LatencyTags.merge(both));
        }

        Set<Metric> bounds() {
            Set<Metric> bounds = EnumSet.noneOf(Metric.class);
            for (Metric metric : Metric.values()) {
                if (metric.dependsOnBrokers() && heldBack > 0 && 2 * heldBack >= quoted) {
                    bounds.add(metric);
                }
            }
            return bounds;
        }

        double[] of(Metric metric) {
            return byRound.getOrDefault(metric, new double[0]);
        }

        DriverResult result(String name, Map<Metric, Comparison> comparisons) {
            Map<Metric, Double> medians = new EnumMap<>(Metric.class);
            byRound.forEach((metric, values) -> {
                double median = Samples.median(values);
                if (!Double.isNaN(median)) {
                    medians.put(metric, median);
                }
            });
            Map<String, Double> medianMetrics = new LinkedHashMap<>();
            metrics.forEach((metric, values) -> medianMetrics.put(
                    metric, Samples.median(values.stream().mapToDouble(v -> v).toArray())));
            return new DriverResult(
                    name,
                    List.copyOf(runs),
                    quoted,
                    bounds(),
                    medians,
                    comparisons,
                    medianMetrics,
                    flags,
                    ledger(),
                    latencies,
                    worstP99Millis(LatencyTags::isOfPartition),
                    worstP99Millis(LatencyTags::isOfConsumer));
        }

        private Ledger ledger() {
            return runs.stream().map(Run::ledger).reduce(Ledger.NONE, Ledger::plus);
        }

        private double worstP99Millis(Predicate<String> tags) {
            double worst = Double.NaN;
            for (Map.Entry<String, Histogram> entry : latencies.entrySet()) {
                double p99 = Latencies.percentileMillis(entry.getValue(), 99);
                if (tags.test(entry.getKey()) && !Double.isNaN(p99)) {
                    worst = Double.isNaN(worst) ? p99 : Math.max(worst, p99);
                }
            }
            return worst;
        }
    }
}
