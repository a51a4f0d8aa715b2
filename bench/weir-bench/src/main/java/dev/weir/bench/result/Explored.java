package dev.weir.bench.result;

import dev.weir.bench.explore.Finding;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.metrics.Limiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code weir bench explore} for one driver at one point. Immutable. Unknown numbers are NaN.
 *
 * @param point {@link Point#id()}
 * @param driver {@link Driver#name()}
 * @param target the latency target, as written in a workload file
 * @param holdSeconds how long the driver sustained the rate {@code finding.low()}
 * @param latencyMillis the latency at the rate {@code finding.low()}, at the target's percentile
 * @param ceiling the highest possible rate in records per second if the maximum number of handlers block at the same
 *     time, computed from their measured blocking time
 * @param limiter the component that limited the rate; null if the figures do not show which component it was
 * @param timeline the commands that were executed during the search
 */
public record Explored(
        String point,
        String driver,
        String target,
        int members,
        Finding finding,
        double holdSeconds,
        double latencyMillis,
        double ceiling,
        @Nullable Limiter limiter,
        List<TimelineEntry> timeline) {

    /** Creates the result of a search that was not changed while it ran. */
    public Explored(
            String point,
            String driver,
            String target,
            int members,
            Finding finding,
            double holdSeconds,
            double latencyMillis,
            double ceiling,
            @Nullable Limiter limiter) {
        this(point, driver, target, members, finding, holdSeconds, latencyMillis, ceiling, limiter, List.of());
    }

    /** Copies {@code timeline}. */
    public Explored {
        timeline = List.copyOf(timeline);
    }

    /** The sustained rate as a percentage of the ceiling. */
    public double efficiency() {
        return 100 * finding.low() / ceiling;
    }
}
