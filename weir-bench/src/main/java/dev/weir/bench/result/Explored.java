package dev.weir.bench.result;

import dev.weir.bench.explore.Finding;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.metrics.Limiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The finding of {@code weir bench explore} on one driver at one point. Immutable. What is not known is not a number.
 *
 * @param point {@link Point#id()}
 * @param driver {@link Driver#name()}
 * @param target the requested latency, as written in a workload file
 * @param holdSeconds how long {@code finding.low()} was held
 * @param latencyMillis at that rate, by the target's percentile
 * @param ceiling how many records a second as many handlers as may block at a time can take, by how long one was
 *     measured to block
 * @param limiter the party that held the rate back; null if no figure shows it
 * @param timeline what was ordered while it was looked for
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

    /** Creates the result of an unchanged search. */
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

    /** The sustained rate in percent of the ceiling. */
    public double efficiency() {
        return 100 * finding.low() / ceiling;
    }
}
