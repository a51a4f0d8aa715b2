package dev.weir.bench.result;

import dev.weir.bench.explore.Finding;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.metrics.Limiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The finding of {@code weir bench explore} for one driver at one point. Immutable. Unknown numbers are NaN.
 *
 * @param point {@link Point#id()}
 * @param driver {@link Driver#name()}
 * @param target the latency target, as written in a workload file
 * @param holdSeconds how long the driver sustained {@code finding.low()}
 * @param latencyMillis the latency at that rate, at the target's percentile
 * @param ceiling the number of records per second that the maximum number of blocking handlers can handle, computed
 *     from their measured blocking time
 * @param limiter the component that limited the rate; null if no figure shows it
 * @param timeline the orders that were executed during the search
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

    /** Creates the finding of a search without orders. */
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
