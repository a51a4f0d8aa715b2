package dev.weir.metrics;

import dev.weir.metrics.Limiter.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the limiter of a pipeline from a series of readings. Stateless: it does not read a clock or start threads.
 * {@code docs/reference/limiter.md} explains its rules and their order.
 */
public final class LimiterFinder {

    /** The rules in order. The first rule with a result applies. */
    private static final List<Function<Interval, @Nullable Limiter>> RULES = List.of(
            MachineRules::collector,
            SourceRules::noBroker,
            OutputRules::blocked,
            PaceRules::rate,
            StageRules::hanging,
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
     * Finds the limiter between two readings of one pipeline.
     *
     * @throws IllegalArgumentException if {@code after} is earlier than {@code before}
     */
    public static Limiter find(PipelineLook before, PipelineLook after) {
        return find(List.of(Objects.requireNonNull(before, "before"), Objects.requireNonNull(after, "after")));
    }

    /**
     * Finds the limiter between the first and last of several readings of one pipeline. The readings in between provide
     * better evidence of what the threads wait for.
     *
     * @throws IllegalArgumentException if there are fewer than two readings, or the last is earlier than the first
     */
    public static Limiter find(List<PipelineLook> looks) {
        return find(Interval.of(Objects.requireNonNull(looks, "looks")));
    }

    /** Finds the limiter of an earlier part of a run. Ignores stages that never had an element. */
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

    /** Returns the finding if no rule applies: the machine, the busiest unit, or none. */
    private static Limiter fallback(Interval interval) {
        if (!interval.isPast && !interval.moves() && interval.hasBacklog()) {
            return Limiter.measuring("records are there, and none has gone through a stage in this time");
        }
        Limiter machine = MachineRules.takenElsewhere(interval);
        if (machine != null) {
            return machine;
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
