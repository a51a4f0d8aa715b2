package dev.weir.metrics;

import dev.weir.kafka.ShareHandle;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.PaceLook;
import org.jspecify.annotations.Nullable;

/** Rules for limits that are reported directly: configured rates, and limits of share group members. */
final class PaceRules {

    /** A rate is the limiter if elements wait only for this rate for at least this fraction of the time. */
    private static final double HOLDS = 0.5;

    private PaceRules() {}

    /** Finds a rate limit for which elements wait at least half of the time. */
    static @Nullable Limiter rate(Interval interval) {
        for (PaceLook pace : interval.last.paces()) {
            double waits = interval.pausedAt(pace.stage());
            if (pace.perSecond() > 0 && waits >= HOLDS) {
                return limiter(interval, pace, Math.min(1, waits));
            }
        }
        return null;
    }

    private static Limiter limiter(Interval interval, PaceLook pace, double waits) {
        Unit unit = interval.units.stream()
                .filter(each ->
                        each.stages().stream().anyMatch(stage -> stage.name().equals(pace.stage())))
                .findFirst()
                .orElse(null);
        return Limiter.of(
                Kind.STAGE_WAIT,
                pace.stage(),
                pace.stage() + " lets " + Words.number(pace.perSecond()) + " a second pass, and elements wait for that "
                        + Words.percent(waits) + " of the time",
                Lever.rate(pace.stage(), pace.live()),
                interval.nextLimit(unit));
    }

    /** Finds a limit reported by a share group member. */
    static @Nullable Limiter share(Interval interval) {
        for (ShareHandle.Snapshot member : interval.last.shares()) {
            ShareHandle.Limit limit = member.limit();
            for (Kind kind : Kind.values()) {
                if (kind.id().startsWith("share-") && kind.id().equals(limit.kind())) {
                    return Limiter.of(
                            kind,
                            limit.name(),
                            limit.sentence(),
                            limit.advice(),
                            Math.clamp(limit.expectedGain(), 1, Interval.MOST_GAIN));
                }
            }
        }
        return null;
    }
}
