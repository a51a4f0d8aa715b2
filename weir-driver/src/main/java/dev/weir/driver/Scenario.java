package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The task of a driver in a pass. Its {@link #label} is what workload files and messages say. */
public enum Scenario {
    /** Consume and drop; nothing is committed. */
    CONSUME,
    /** Consume; commit what is finished, about each second. */
    AT_LEAST_ONCE,
    /** Consume; commit each record before it is worked on. */
    AT_MOST_ONCE,
    /** Consume; each record has work that takes time; commit what is finished. */
    WORK,
    /** Consume; before each record, all partitions but one are paused, drawn anew: {@link PartitionTurns}. */
    FLOW_CONTROL,
    /** Consume what another process sends at a planned rate; nothing is committed. When each comes is noted. */
    STEADY,
    /**
     * Consume events, translate them in several steps that compute, write what comes of them; commit what is finished.
     */
    PIPELINE,
    /** Consume, do a step with each record, write it to the same partition of another topic; commit what is written. */
    COPY,
    /** Write records and wait for their acknowledgements, as many in flight as the library likes. */
    PRODUCE;

    /** The name in lower case with hyphens, for example {@code at-least-once}. */
    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The scenario of that {@link #label}. */
    @JsonCreator
    public static Scenario of(String label) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no scenario is called " + label + "; there are "
                        + Arrays.stream(values()).map(Scenario::label).collect(Collectors.joining(", "))));
    }
}
