package dev.weir.console.tune;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of tuning. Immutable. */
public final class TuneReport {

    /** The reason for the end. */
    public enum End {
        /** No control brings a further gain. */
        DONE,
        /** The pipeline keeps up with all that arrives, so settings cannot be compared. */
        KEEPS_UP,
        /** Nothing moved, at the start or later, so there was no rate to raise. */
        IDLE,
        /** It was asked to stop. */
        STOPPED,
        /** The guard found a fault that persisted after the change was reverted. */
        GUARD,
        /** The pipeline refused to revert a step, which stays in force; the reason names the control. */
        NOT_TAKEN_BACK,
        /** The pipeline ended. */
        PIPELINE_ENDED,
        /** The limit of steps was reached. */
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

    /** All steps; empty if not even the initial settings were measured. */
    public List<TuneStep> steps() {
        return steps;
    }

    /** The reason why it ended. */
    public End end() {
        return end;
    }

    /** The reason in words, without a full stop. */
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

    /** The product of the gains of all steps that stayed. */
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

    /** The stage whose elements were counted. */
    public String counter() {
        return counter;
    }

    /**
     * Stages with a single worker, which were left unchanged because their order or function may need it.
     * {@link Tuner.Builder#raise} includes one.
     */
    public List<String> leftAlone() {
        return leftAlone;
    }

    /** Lines that say how to make the settings permanent: as code, properties, and {@code weir console} options. */
    public List<String> lasting() {
        return Lasting.lines(settings);
    }

    @Override
    public String toString() {
        return end + " (" + reason + "): " + settings + ", " + steps;
    }
}
