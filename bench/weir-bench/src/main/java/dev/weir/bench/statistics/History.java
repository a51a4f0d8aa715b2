package dev.weir.bench.statistics;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Point;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The campaigns that ran the same workload on the same kind of machine, in order of time, with the changes in their
 * figures. Immutable, thread-safe.
 *
 * <p>A driver's figure is its ratio to the baseline, because effects of the machine cancel out in this ratio. If the
 * baseline is the only driver of a campaign, the figure is its median.
 *
 * @param snapshots the snapshots of the campaigns, oldest first
 * @param series the series of all figures, in the order of points, drivers and metrics
 */
public record History(List<Snapshot> snapshots, List<Series> series) {

    /** The maximum number of campaigns in a history. Older campaigns are ignored. */
    public static final int MAX_CAMPAIGNS = 200;

    /** The maximum error in the start of a level, as a number of campaigns. */
    private static final int UNSURE_CAMPAIGNS = 2;

    /** Largest expected fraction of false findings among reported series. */
    public static final double FALSE_DISCOVERIES = 0.05;

    /**
     * One figure over all campaigns that contain it.
     *
     * @param isRatio whether the figures and levels are ratios to the baseline
     * @param campaigns the campaigns of the figures, oldest first
     * @param figures the figures, one per campaign
     * @param levels the levels, oldest first; a single one if there is no evidence of a change
     * @param adjustedP the p-value of the clearest change, after correction for the number of series
     */
    public record Series(
            Point point,
            String driver,
            Metric metric,
            boolean isRatio,
            List<Campaign> campaigns,
            List<Double> figures,
            List<Level> levels,
            double adjustedP) {

        /** The current level. */
        public Level now() {
            return levels.getLast();
        }

        /**
         * Returns the best of the levels that are better than the current level by at least {@code least}; null if
         * there is none. Ignores levels that the user has accepted as past.
         *
         * @param acceptedMillis a time in milliseconds. A level is accepted as past if its campaigns started before
         *     this time; up to two may have started later.
         * @param least the smallest relative loss; if 0, any loss counts
         */
        public @Nullable Level lost(long acceptedMillis, double least) {
            Level best = null;
            int from = 0;
            for (Level level : levels) {
                long after = campaigns.subList(from, from + level.campaigns()).stream()
                        .filter(campaign -> startedAtMillis(campaign) >= acceptedMillis)
                        .count();
                from += level.campaigns();
                boolean isSettled = after == 0 || (after < level.campaigns() && after <= UNSURE_CAMPAIGNS);
                double loss = worse(level);
                if (!isSettled && loss > 0 && loss >= least && (best == null || loss > worse(best))) {
                    best = level;
                }
            }
            return best;
        }

        private double worse(Level than) {
            return metric.higherIsBetter() ? than.value() / now().value() - 1 : now().value() / than.value() - 1;
        }
    }

    /**
     * A sequence of campaigns in which a figure stayed the same.
     *
     * @param from the first campaign of the level
     * @param campaigns the number of campaigns
     */
    public record Level(Campaign from, int campaigns, long lastStartedAtMillis, double value) {}

    /** The campaigns, oldest first. */
    public List<Campaign> campaigns() {
        return snapshots.stream().map(Snapshot::campaign).toList();
    }

    /** The key of a series. */
    record Key(Point point, String driver, Metric metric) {}

    /**
     * A driver's figures in one campaign.
     *
     * @param ratio the ratio to the baseline; 1 for the baseline itself, NaN if there is no other driver
     * @param low the lower end of the ratio's interval; NaN if there is only one round
     * @param high the upper end of the ratio's interval; NaN if there is only one round
     */
    record Reading(double median, double ratio, double low, double high) {}

    /**
     * The figures of one campaign that are kept for a history.
     *
     * @param isRatio whether the history compares ratios to the baseline
     */
    public record Snapshot(Campaign campaign, boolean isRatio, Map<Key, Reading> readings) {

        /** Extracts the figures of these metrics from an analysis. */
        public static Snapshot of(Analysis analysis, Set<Metric> metrics) {
            Campaign campaign = analysis.campaign();
            boolean isRatio = campaign.drivers().stream()
                    .anyMatch(each -> !each.name().equals(campaign.baseline())
                            && !each.name().equals(campaign.control()));
            Map<Key, Reading> readings = new LinkedHashMap<>();
            for (PointResult point : analysis.points()) {
                for (DriverResult driver : point.drivers()) {
                    if (driver.driver().equals(campaign.control())) {
                        continue;
                    }
                    boolean isBaseline = driver.driver().equals(campaign.baseline());
                    for (Metric metric : metrics) {
                        Reading reading = reading(driver, metric, isBaseline && isRatio);
                        if (reading != null) {
                            readings.put(new Key(point.point(), driver.driver(), metric), reading);
                        }
                    }
                }
            }
            return new Snapshot(campaign, isRatio, readings);
        }

        /**
         * Returns a driver's figures; null if the metric was not measured, is only a bound, or comes from changed runs.
         */
        private static @Nullable Reading reading(DriverResult driver, Metric metric, boolean isOne) {
            double median = driver.medians().getOrDefault(metric, Double.NaN);
            if (driver.isBound(metric) || driver.flags().containsKey(Flag.CHANGED) || !Double.isFinite(median)) {
                return null;
            }
            if (isOne) {
                return new Reading(median, 1, 1, 1);
            }
            Comparison comparison = driver.comparisons().get(metric);
            if (comparison == null) {
                return new Reading(median, Double.NaN, Double.NaN, Double.NaN);
            }
            RatioInterval of = comparison.interval();
            return of.isBounded()
                    ? new Reading(median, of.ratio(), of.low(), of.high())
                    : new Reading(median, of.ratio(), Double.NaN, Double.NaN);
        }

        /**
         * Returns the figures to search for changes: the ratios to the baseline, or the baseline's medians if there are
         * no ratios.
         */
        private Map<Key, Double> figures() {
            Map<Key, Double> figures = new LinkedHashMap<>();
            readings.forEach((key, reading) -> {
                double figure = isRatio ? reading.ratio : reading.median;
                boolean isAlwaysOne = isRatio && key.driver.equals(campaign.baseline());
                if (figure > 0 && Double.isFinite(figure) && !isAlwaysOne) {
                    figures.put(key, figure);
                }
            });
            return figures;
        }
    }

    private record Figures(boolean isRatio, List<Campaign> campaigns, List<Double> values) {}

    /**
     * Returns a history for each set of comparable campaigns. The history with the most campaigns comes first.
     * Comparable campaigns have the same name, workload, command, baseline, processor, number of cores, cluster and
     * worker machines, and either all or none of them compare ratios. Simulated campaigns are left out.
     */
    public static List<History> of(List<Snapshot> snapshots) {
        Map<List<Object>, List<Snapshot>> alike = new LinkedHashMap<>();
        snapshots.stream()
                .filter(each -> !each.campaign().isOfModel())
                .sorted(Comparator.comparingLong(each -> startedAtMillis(each.campaign())))
                .forEach(each -> alike.computeIfAbsent(
                                List.of(
                                        each.campaign().name(),
                                        each.campaign().workload(),
                                        each.campaign().command(),
                                        each.campaign().baseline(),
                                        each.isRatio(),
                                        each.campaign().environment().processor(),
                                        each.campaign().environment().cores(),
                                        each.campaign().place(Campaign.CLUSTER_ID),
                                        each.campaign().place(Campaign.WORKERS)),
                                k -> new ArrayList<>())
                        .add(each));
        return alike.values().stream()
                .map(each -> each.subList(Math.max(0, each.size() - MAX_CAMPAIGNS), each.size()))
                .map(History::ofAlike)
                .sorted(Comparator.comparingInt(each -> -each.campaigns().size()))
                .toList();
    }

    private static History ofAlike(List<Snapshot> snapshots) {
        Map<Key, Figures> figures = new LinkedHashMap<>();
        for (Snapshot snapshot : snapshots) {
            snapshot.figures().forEach((key, value) -> {
                Figures of = figures.computeIfAbsent(
                        key, k -> new Figures(snapshot.isRatio(), new ArrayList<>(), new ArrayList<>()));
                of.campaigns.add(snapshot.campaign());
                of.values.add(value);
            });
        }
        List<Map.Entry<Key, Figures>> all = List.copyOf(figures.entrySet());
        // On a logarithmic scale, a change by a given factor has the same size at every level.
        List<ChangePoints.Finding> findings = all.stream()
                .map(each -> ChangePoints.of(
                        each.getValue().values.stream().mapToDouble(Math::log).toArray()))
                .toList();
        double[] adjusted = FalseDiscovery.adjust(
                findings.stream().mapToDouble(ChangePoints.Finding::p).toArray());
        List<Series> series = new ArrayList<>();
        for (int i = 0; i < adjusted.length; i++) {
            series.add(series(all.get(i).getKey(), all.get(i).getValue(), findings.get(i), adjusted[i]));
        }
        return new History(List.copyOf(snapshots), List.copyOf(series));
    }

    private static Series series(Key key, Figures figures, ChangePoints.Finding finding, double adjustedP) {
        double[] all = figures.values.stream().mapToDouble(value -> value).toArray();
        List<ChangePoints.Segment> segments = adjustedP <= FALSE_DISCOVERIES
                ? finding.segments()
                : List.of(new ChangePoints.Segment(0, all.length, 0));
        List<Level> levels = segments.stream()
                .map(segment -> new Level(
                        figures.campaigns.get(segment.from()),
                        segment.to() - segment.from(),
                        startedAtMillis(figures.campaigns.get(segment.to() - 1)),
                        Samples.median(Arrays.copyOfRange(all, segment.from(), segment.to()))))
                .toList();
        return new Series(
                key.point,
                key.driver,
                key.metric,
                figures.isRatio,
                List.copyOf(figures.campaigns),
                List.copyOf(figures.values),
                levels,
                adjustedP);
    }

    private static long startedAtMillis(Campaign campaign) {
        return campaign.environment().startedAtMillis();
    }
}
