package dev.weir.metrics;

import dev.weir.metrics.Limiter.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds what holds a pipeline's rate down, from looks at it. A pure function: it reads no clock and starts no thread.
 * {@code docs/reference/limiter.md} has its rules, their order and the reasons.
 */
public final class LimiterFinder {

    /** The first rule that has an answer gives it. */
    private static final List<Function<Interval, @Nullable Limiter>> RULES = List.of(
            MachineRules::collector,
            SourceRules::noBroker,
            OutputRules::blocked,
            PaceRules::rate,
            PaceRules::share,
            StageRules::dispatcher,
            StageRules::saturated,
            OutputRules::answers,
            StageRules::notTaken,
            SourceRules::held,
            SourceRules::openTransaction,
            SourceRules::commit,
            SourceRules::decode,
            SourceRules::arrival,
            WindowRules::full,
            SourceRules::fetch,
            MachineRules::processors);

    private LimiterFinder() {}

    /**
     * The limiter between two looks at one pipeline.
     *
     * @throws IllegalArgumentException if {@code after} is earlier than {@code before}
     */
    public static Limiter find(PipelineLook before, PipelineLook after) {
        return find(List.of(Objects.requireNonNull(before, "before"), Objects.requireNonNull(after, "after")));
    }

    /**
     * The limiter between the first and the last of some looks at one pipeline; more looks between them show better
     * what its threads wait for.
     *
     * @throws IllegalArgumentException if there are fewer than two, or the last is earlier than the first
     */
    public static Limiter find(List<PipelineLook> looks) {
        return find(Interval.of(Objects.requireNonNull(looks, "looks")));
    }

    /** The limiter of a part of a run that is past: it says nothing of records that are still in a stage. */
    static Limiter findPast(List<PipelineLook> looks) {
        return find(Interval.past(looks));
    }

    private static Limiter find(Interval interval) {
        return verdict(interval).from(interval);
    }

    private static Limiter verdict(Interval interval) {
        for (Function<Interval, @Nullable Limiter> rule : RULES) {
            Limiter found = rule.apply(interval);
            if (found != null) {
                return found;
            }
        }
        return fallback(interval);
    }

    /** Limiter if nothing is full: the unit that is nearest to it, or nothing to do. */
    private static Limiter fallback(Interval interval) {
        if (!interval.isPast && !interval.moves() && interval.hasBacklog()) {
            return Limiter.measuring("records are there, and none has gone through a stage in this time");
        }
        Unit busiest = interval.units.stream()
                .max(Comparator.comparingDouble(Unit::utilisation))
                .orElse(null);
        if (busiest != null
                && (busiest.utilisation() >= 0.5 || (busiest.utilisation() >= 0.4 && !interval.keepsUp()))) {
            return StageRules.of(interval, busiest);
        }
        if (!interval.keepsUp()) {
            return Limiter.measuring("records wait, and nothing was at its limit for most of this time");
        }
        String name = busiest == null ? Kind.ARRIVAL.id() : busiest.heaviest().name();
        String most = busiest == null
                ? "there are no stages"
                : "the busiest stage is " + name + ", " + Words.percent(busiest.utilisation());
        return Limiter.of(Kind.ARRIVAL, name, "nothing is at its limit: " + most, Lever.none(), 1);
    }
}
