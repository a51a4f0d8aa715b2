package dev.weir.bench.explain;

import dev.weir.bench.result.Point;
import dev.weir.metrics.Limiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explains what held a driver back at a point. Immutable.
 *
 * @param limiter null if no figure shows one, and then nobody but the library is to be asked
 * @param evidence the figures that were looked at, each with its unit, as sentences; none without a finished run
 */
public record Explanation(
        Point point, String driver, @Nullable Limiter limiter, List<String> evidence) {

    /** One sentence for people. */
    public String sentence() {
        if (evidence.isEmpty()) {
            return "no finished run";
        }
        return limiter == null
                ? "no figure shows anybody else, so it is the library itself"
                : limiter.name() + ": " + limiter.sentence();
    }
}
