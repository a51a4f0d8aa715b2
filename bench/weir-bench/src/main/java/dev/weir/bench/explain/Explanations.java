package dev.weir.bench.explain;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.PhaseRuns;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.DriverResult;
import dev.weir.bench.statistics.PointResult;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadException;
import dev.weir.bench.workload.WorkloadPoint;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Explains what limited each driver at each point of a campaign, in the campaign's order. Stateless, thread-safe. */
public final class Explanations {

    private Explanations() {}

    /** Explains the results of all drivers at all points, finished or not. */
    public static List<Explanation> of(Analysis analysis) {
        List<WorkloadPoint> workload = points(analysis.campaign());
        List<Explanation> all = new ArrayList<>();
        for (PointResult point : analysis.points()) {
            WorkloadPoint asked = workload.stream()
                    .filter(each ->
                            each.id().equals(PhaseRuns.pointOfRun(point.point().id())))
                    .findFirst()
                    .orElse(null);
            for (DriverResult driver : point.drivers()) {
                all.add(of(analysis.campaign(), point, driver, asked));
            }
        }
        return List.copyOf(all);
    }

    private static Explanation of(
            Campaign campaign, PointResult point, DriverResult driver, @Nullable WorkloadPoint asked) {
        Facts facts = new Facts(driver, asked, campaign.environment().cores());
        return facts.isEmpty()
                ? new Explanation(point.point(), driver.driver(), null, List.of())
                : new Explanation(point.point(), driver.driver(), Rules.first(facts), facts.evidence());
    }

    /** Returns the points of the workload; empty if the workload is no longer readable. */
    private static List<WorkloadPoint> points(Campaign campaign) {
        try {
            return Workload.ofText(campaign.workload()).points();
        } catch (WorkloadException e) {
            return List.of();
        }
    }
}
