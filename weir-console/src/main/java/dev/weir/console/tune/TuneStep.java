package dev.weir.console.tune;

import dev.weir.metrics.Limiter;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One step of tuning: the change, and the gain that was expected and measured. Immutable. */
public final class TuneStep {

    /** The outcome of a step. */
    public enum Verdict {
        /** The setting that the pipeline had. */
        FIRST,
        /** It stays. */
        FASTER,
        /** It needs less and is as fast: it stays. */
        CHEAPER,
        /** It brought nothing, and was taken back. */
        EQUAL,
        /** It cost something, and was taken back. */
        SLOWER,
        /** The guard found something wrong, and it was taken back. */
        GUARDED,
        /** The pipeline did not take it. */
        REFUSED,
        /** It was to be taken back, and the pipeline refused that: some of it holds. */
        STUCK;

        /** As programs read it. */
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
     * Step that was tried.
     *
     * @param low the lowest gain that the evidence allows
     * @param high the highest one
     * @param reason of the guard or the refusal; empty if there is none
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

    /** Its number, from 1 on; the first one is the setting that the pipeline had. */
    public int number() {
        return values.number;
    }

    /** The change for people, without a full stop. */
    public String change() {
        return values.change;
    }

    /** The values that were set, by control. */
    public Map<String, Long> settings() {
        return values.settings;
    }

    /** Elements a second with the change; 0 if it was not measured to the end. */
    public double perSecond() {
        return values.perSecond;
    }

    /** The factor by which the rate should have risen; 1 if nothing was promised. */
    public double expectedGain() {
        return values.expectedGain;
    }

    /** The factor by which it rose; 1 for the first step and for one that was not measured to the end. */
    public double measuredGain() {
        return values.measuredGain;
    }

    /** The lowest gain that the measurements allow. */
    public double lowestGain() {
        return values.low;
    }

    /** The highest gain that the measurements allow. */
    public double highestGain() {
        return values.high;
    }

    /** The outcome of the step. */
    public Verdict verdict() {
        return values.verdict;
    }

    /** Returns whether the setting before it is in force again. */
    public boolean isTakenBack() {
        return switch (values.verdict) {
            case FIRST, FASTER, CHEAPER, STUCK -> false;
            case EQUAL, SLOWER, GUARDED, REFUSED -> true;
        };
    }

    /** The reason why the guard took it back, or the pipeline refused it or its end, in words; empty otherwise. */
    public String reason() {
        return values.reason;
    }

    /** The limiter with the change in force; null if nobody knows. */
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
