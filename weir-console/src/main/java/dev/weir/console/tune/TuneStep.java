package dev.weir.console.tune;

import dev.weir.metrics.Limiter;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One step of tuning: the change, and the expected and measured gain. Immutable. */
public final class TuneStep {

    /** The outcome of a step. */
    public enum Verdict {
        /** The initial settings. */
        FIRST,
        /** The step made the pipeline faster and was kept. */
        FASTER,
        /** The step saves resources without making the pipeline slower, and was kept. */
        CHEAPER,
        /** The step did not make the pipeline measurably faster and was reverted. */
        EQUAL,
        /** The step made the pipeline slower and was reverted. */
        SLOWER,
        /** The guard found a fault, and the step was reverted. */
        GUARDED,
        /** The pipeline refused the step. */
        REFUSED,
        /** The pipeline refused to revert the step, so part of it stays in force. */
        STUCK;

        /** The machine-readable name. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Values values;

    private TuneStep(Values values) {
        this.values = values;
    }

    static TuneStep first(Rate rate, @Nullable Limiter limiter) {
        return new TuneStep(
                new Values(1, "as it is", Map.of(), rate.perSecond(), 1, 1, 1, 1, Verdict.FIRST, "", limiter));
    }

    /**
     * Creates a step that was tried.
     *
     * @param low the lowest gain that is consistent with the measurements
     * @param high the highest gain that is consistent with the measurements
     * @param reason the reason why the guard reverted the step, or why the pipeline refused a change; empty if there is
     *     none
     */
    static TuneStep tried(
            int number,
            Move move,
            double perSecond,
            double gain,
            double low,
            double high,
            Verdict verdict,
            String reason,
            @Nullable Limiter limiter) {
        return new TuneStep(new Values(
                number,
                move.change(),
                move.settings(),
                perSecond,
                move.expectedGain(),
                gain,
                low,
                high,
                verdict,
                reason,
                limiter));
    }

    /** The step's number, starting at 1. Step 1 measures the initial settings. */
    public int number() {
        return values.number;
    }

    /** A readable description of the change, without a full stop. */
    public String change() {
        return values.change;
    }

    /** The values set, by control. */
    public Map<String, Long> settings() {
        return values.settings;
    }

    /** The number of elements per second with the change; 0 if the measurement was incomplete. */
    public double perSecond() {
        return values.perSecond;
    }

    /** The expected rate with the change, divided by the rate before the change; 1 if no gain was expected. */
    public double expectedGain() {
        return values.expectedGain;
    }

    /**
     * The measured rate with the change, divided by the rate before the change; 1 for the first step and for incomplete
     * measurements.
     */
    public double measuredGain() {
        return values.measuredGain;
    }

    /** The lowest gain consistent with the measurements. */
    public double lowestGain() {
        return values.low;
    }

    /** The highest gain consistent with the measurements. */
    public double highestGain() {
        return values.high;
    }

    /** The outcome of the step. */
    public Verdict verdict() {
        return values.verdict;
    }

    /** Returns whether the step was reverted, so that the previous settings are in force again. */
    public boolean isTakenBack() {
        return switch (values.verdict) {
            case FIRST, FASTER, CHEAPER, STUCK -> false;
            case EQUAL, SLOWER, GUARDED, REFUSED -> true;
        };
    }

    /**
     * The reason why the guard reverted the step, or why the pipeline refused to apply or to revert the step; empty if
     * there is none.
     */
    public String reason() {
        return values.reason;
    }

    /** The pipeline's limiter while the change was in force; null if unknown. */
    public @Nullable Limiter limiter() {
        return values.limiter;
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "TuneStep");
    }

    private record Values(
            int number,
            String change,
            Map<String, Long> settings,
            double perSecond,
            double expectedGain,
            double measuredGain,
            double low,
            double high,
            Verdict verdict,
            String reason,
            @Nullable Limiter limiter) {

        Values {
            Objects.requireNonNull(change, "change");
            settings = Map.copyOf(settings);
        }
    }
}
