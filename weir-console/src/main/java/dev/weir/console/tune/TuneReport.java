package dev.weir.console.tune;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of tuning. Immutable. */
public final class TuneReport {

    /** The reason why tuning ended. */
    public enum End {
        /** No further change of a control brings a gain. */
        DONE,
        /** The pipeline keeps up with everything that arrives, so settings cannot be compared. */
        KEEPS_UP,
        /** The pipeline made no progress, so no rate could be measured. */
        IDLE,
        /** Tuning was asked to stop. */
        STOPPED,
        /** The guard found a fault that persisted after the change was reverted. */
        GUARD,
        /**
         * The pipeline refused to revert a step, so the step stays in force. {@link TuneReport#reason} names the
         * control.
         */
        NOT_TAKEN_BACK,
        /** The pipeline ended. */
        PIPELINE_ENDED,
        /** The maximum number of steps was reached. */
        MOST_STEPS;

        /** The machine-readable name. */
        public String id() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final List<TuneStep> steps;
    private final End end;
    private final String reason;
    private final Map<String, Long> settings;
    private final String counter;
    private final List<String> leftAlone;

    TuneReport(
            List<TuneStep> steps,
            End end,
            String reason,
            Map<String, Long> settings,
            String counter,
            List<String> leftAlone) {
        this.steps = List.copyOf(steps);
        this.end = end;
        this.reason = reason;
        this.settings = Map.copyOf(settings);
        this.counter = counter;
        this.leftAlone = List.copyOf(leftAlone);
    }

    /** All steps; empty if not even the initial settings could be measured. */
    public List<TuneStep> steps() {
        return steps;
    }

    /** The reason why tuning ended. */
    public End end() {
        return end;
    }

    /** A description of the reason, without a full stop. */
    public String reason() {
        return reason;
    }

    /** The step whose settings are in force; null if there is none. */
    public @Nullable TuneStep best() {
        return steps.stream()
                .filter(step -> !step.isTakenBack())
                .reduce((one, later) -> later)
                .orElse(null);
    }

    /** The product of the gains of all steps that were not reverted. */
    public double totalGain() {
        return steps.stream()
                .filter(step -> !step.isTakenBack())
                .mapToDouble(TuneStep::measuredGain)
                .reduce(1, (one, other) -> one * other);
    }

    /** The controls whose values have changed since the start, with their new values. */
    public Map<String, Long> settings() {
        return settings;
    }

    /** The stage whose elements were counted to measure the rate. */
    public String counter() {
        return counter;
    }

    /**
     * The single-worker stages that the tuner did not change. More workers could change the order of a stage's
     * elements, or the stage's function might not be thread-safe. To let the tuner add workers to such a stage, use
     * {@link Tuner.Builder#raise}.
     */
    public List<String> leftAlone() {
        return leftAlone;
    }

    /**
     * Returns lines that explain how to make the settings permanent: as code, as properties, and as options of
     * {@code weir console}.
     */
    public List<String> lasting() {
        return Lasting.lines(settings);
    }

    @Override
    public String toString() {
        return end + " (" + reason + "): " + settings + ", " + steps;
    }
}
