package dev.weir.bench.statistics;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Point;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares a driver's ratio to the baseline at the same point in two campaigns. The noise of both campaigns must
 * overlap. Immutable, thread-safe.
 *
 * @param why the reason why no difference is reported; empty if a difference is reported
 */
public record Difference(
        Point point, String driver, Metric metric, RatioInterval before, RatioInterval after, Kind kind, String why) {

    /** The result of the comparison. */
    public enum Kind {
        HIGHER,
        LOWER,
        NO_DIFFERENCE,
        NOT_COMPARABLE
    }

    /**
     * Compares the points and drivers that both campaigns contain. Points are matched by ID and drivers by name.
     *
     * @throws IllegalArgumentException if the campaigns have different baselines, nothing in common, or runs that were
     *     changed
     */
    public static List<Difference> between(Analysis before, Analysis after) {
        String baseline = before.campaign().baseline();
        if (!baseline.equals(after.campaign().baseline())) {
            throw new IllegalArgumentException("different baselines: " + baseline + " and "
                    + after.campaign().baseline());
        }
        requireUnchanged(before);
        requireUnchanged(after);
        String unlike = unlike(before.campaign(), after.campaign());
        List<Difference> all = new ArrayList<>();
        for (PointResult was : before.points()) {
            for (PointResult is : after.points()) {
                if (was.point().id().equals(is.point().id())) {
                    add(all, unlike, before, was, after, is);
                }
            }
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException("no point and driver is in both campaigns");
        }
        return List.copyOf(all);
    }

    /** Throws an exception that names the changed runs, if any. */
    private static void requireUnchanged(Analysis analysis) {
        List<String> changed = analysis.points().stream()
                .flatMap(point -> point.drivers().stream())
                .flatMap(driver -> driver.runs().stream())
                .filter(run -> run.flags().contains(Flag.CHANGED))
                .map(run -> run.key().fileName())
                .toList();
        if (!changed.isEmpty()) {
            throw new IllegalArgumentException("runs of " + analysis.campaign().id()
                    + " were changed while they ran, so nothing is compared with them: " + String.join(", ", changed));
        }
    }

    private static void add(
            List<Difference> all, String unlike, Analysis before, PointResult was, Analysis after, PointResult is) {
        for (DriverResult driver : was.drivers()) {
            for (Metric metric : Metric.values()) {
                Comparison a = comparison(was, driver.driver(), metric);
                Comparison b = comparison(is, driver.driver(), metric);
                if (a != null
                        && b != null
                        && !driver.driver().equals(before.campaign().control())) {
                    String noise = !unlike.isEmpty()
                            ? unlike
                            : unlike(
                                    comparison(was, before.campaign().control(), metric),
                                    comparison(is, after.campaign().control(), metric));
                    all.add(of(is.point(), driver.driver(), metric, a, b, noise));
                }
            }
        }
    }

    private static Difference of(
            Point point, String driver, Metric metric, Comparison before, Comparison after, String noise) {
        RatioInterval a = before.interval();
        RatioInterval b = after.interval();
        if (!noise.isEmpty()) {
            return new Difference(point, driver, metric, a, b, Kind.NOT_COMPARABLE, noise);
        }
        if (!a.isBounded() || !b.isBounded()) {
            return new Difference(point, driver, metric, a, b, Kind.NOT_COMPARABLE, "one round has no interval");
        }
        // A bound means this ratio or a higher one, so only lower ratios differ from it.
        if ((before.isBound() && b.high() >= a.low()) || (after.isBound() && a.high() >= b.low())) {
            return new Difference(
                    point,
                    driver,
                    metric,
                    a,
                    b,
                    Kind.NOT_COMPARABLE,
                    "brokers limited the driver: its ratio is only a bound");
        }
        if (overlap(a, b)) {
            return new Difference(point, driver, metric, a, b, Kind.NO_DIFFERENCE, "the intervals overlap");
        }
        return new Difference(point, driver, metric, a, b, b.ratio() > a.ratio() ? Kind.HIGHER : Kind.LOWER, "");
    }

    /** The reason why nothing in these campaigns can be compared; empty if they can be compared. */
    private static String unlike(Campaign before, Campaign after) {
        if (!before.workload().equals(after.workload())) {
            return "the workload files differ";
        }
        if (before.isOfModel() != after.isOfModel()) {
            return "one of the campaigns was simulated";
        }
        if (!before.place(Campaign.CLUSTER_ID).equals(after.place(Campaign.CLUSTER_ID))) {
            return "the clusters differ";
        }
        boolean machines =
                before.environment().processor().equals(after.environment().processor())
                        && before.environment().cores() == after.environment().cores()
                        && before.place(Campaign.WORKERS).equals(after.place(Campaign.WORKERS));
        return machines ? "" : "the machines differ";
    }

    /** The reason why the campaigns' noise differs or is unknown; empty if the intervals of both controls overlap. */
    private static String unlike(@Nullable Comparison before, @Nullable Comparison after) {
        if (before == null || after == null) {
            return "no A/A in both campaigns: the noise is not known";
        }
        boolean alike = before.interval().isBounded()
                && after.interval().isBounded()
                && overlap(before.interval(), after.interval());
        return alike ? "" : "the noise of the two campaigns (A/A) does not overlap";
    }

    private static boolean overlap(RatioInterval a, RatioInterval b) {
        return a.low() <= b.high() && b.low() <= a.high();
    }

    private static @Nullable Comparison comparison(PointResult point, @Nullable String driver, Metric metric) {
        return point.drivers().stream()
                .filter(each -> each.driver().equals(driver))
                .findFirst()
                .map(each -> each.comparisons().get(metric))
                .orElse(null);
    }
}
