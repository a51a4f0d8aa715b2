package dev.weir.bench.campaign;

import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.Comparison;
import dev.weir.bench.statistics.DriverResult;
import dev.weir.bench.statistics.Metric;
import dev.weir.bench.statistics.PointResult;
import dev.weir.bench.workload.Design;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.LatencyTarget;
import dev.weir.bench.workload.Refinement;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Determines the order of a campaign's runs. An adaptive design runs in stages: the verdicts of a stage choose the
 * points of the next stage. A resumed campaign gets the same order. Confined to one thread.
 */
final class CampaignStages {
    private final Workload workload;
    private final ResultsFolder folder;
    private final long seed;
    private final List<String> drivers;
    private final @Nullable Refinement refinement; // null if the campaign runs all points
    private final Set<Integer> chosen = new TreeSet<>(); // indices of points
    private Set<Integer> asked = Set.of();
    private int stage;

    CampaignStages(Workload workload, ResultsFolder folder, long seed, List<String> drivers) {
        this.workload = workload;
        this.folder = folder;
        this.seed = seed;
        this.drivers = drivers;
        this.refinement = workload.design() == Design.ADAPTIVE ? new Refinement(workload.sizes()) : null;
    }

    /**
     * Returns the runs of the next stage in order; empty if there are no more stages. Call it after all runs of the
     * previous stage.
     */
    List<RunOrder.Step> next() {
        Refinement refined = refinement;
        if (refined == null) {
            return stage++ > 0 ? List.of() : RunOrder.of(workload.points(), drivers, workload.rounds(), seed);
        }
        if (!asked.isEmpty()) {
            Analysis analysis = soFar();
            for (int place : asked) {
                WorkloadPoint point = workload.points().get(place);
                PointResult result = analysis.points().get(place);
                refined.tell(place, verdict(result, point.isPlanned() ? ExploreSettings.target(point) : null));
            }
        }
        asked = refined.next();
        chosen.addAll(asked);
        List<WorkloadPoint> points = asked.stream().map(workload.points()::get).toList();
        return RunOrder.of(points, drivers, workload.rounds(), seed + stage++);
    }

    /** Returns the analysis of the points chosen so far, without runs of later stages. */
    private Analysis soFar() {
        Set<String> points =
                chosen.stream().map(place -> workload.points().get(place).id()).collect(Collectors.toSet());
        return Analysis.of(
                folder.campaign(),
                folder.runs().stream()
                        .filter(run -> points.contains(run.point()))
                        .toList(),
                run -> LatencyTags.merge(folder.latencyIntervals(run.key())));
    }

    /** Returns the verdict on each driver at a point, and whether each driver met the target. */
    static String verdict(PointResult point, @Nullable LatencyTarget target) {
        Metric judgedBy = point.judgedBy();
        return point.drivers().stream()
                .map(driver -> {
                    Comparison comparison = driver.comparisons().get(judgedBy);
                    return driver.driver()
                            + (driver.quoted() == 0 ? " has no figures" : "")
                            + (comparison == null ? "" : " " + comparison.verdict())
                            + (target == null ? "" : meets(driver, target) ? " in time" : " late");
                })
                .collect(Collectors.joining(", "));
    }

    private static boolean meets(DriverResult driver, LatencyTarget target) {
        Histogram responses = driver.latencies().get(LatencyTags.RESPONSE);
        return responses != null
                && responses.getTotalCount() > 0
                && responses.getValueAtPercentile(target.percentile()) / 1e6 <= target.limitMillis();
    }

    /** Returns a note on the points that were not run; empty if all points were run. */
    String leftOut() {
        int left = workload.points().size() - chosen.size();
        return refinement == null || left == 0
                ? ""
                : left + " of " + workload.points().size()
                        + " points were not run: the verdicts around them are the same";
    }
}
