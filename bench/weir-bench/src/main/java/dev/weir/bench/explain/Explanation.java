package dev.weir.bench.explain;

import dev.weir.bench.result.Point;
import dev.weir.metrics.Limiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The explanation of what limited a driver at a point. Immutable.
 *
 * @param limiter the limiter; null if no figure points to a component outside the library
 * @param evidence the examined figures, as sentences with units; empty if no run has finished
 */
public record Explanation(
        Point point, String driver, @Nullable Limiter limiter, List<String> evidence) {

    /** The explanation in one sentence. */
    public String sentence() {
        if (evidence.isEmpty()) {
            return "no finished run";
        }
        return limiter == null
                ? "no figure shows anybody else, so it is the library itself"
                : limiter.name() + ": " + limiter.sentence();
    }
}
