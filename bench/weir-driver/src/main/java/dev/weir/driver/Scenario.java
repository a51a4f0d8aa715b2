package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The task of a driver in a pass. {@link #label} is its name in workload files and messages. */
public enum Scenario {
    /** Consumes records and discards them; commits nothing. */
    CONSUME,
    /** Consumes records; commits finished records about every second. */
    AT_LEAST_ONCE,
    /** Consumes records; commits each record before it is processed. */
    AT_MOST_ONCE,
    /** Consumes records and spends some time on processing each of them; commits finished records. */
    WORK,
    /**
     * Consumes records. For each record, pauses all partitions except for one, which is drawn at random: see
     * {@link PartitionTurns}.
     */
    FLOW_CONTROL,
    /**
     * Consumes records that another process sends at a planned rate, and records their arrival times; commits nothing.
     */
    STEADY,
    /** Consumes events, translates them in several computing steps and writes the results; commits finished records. */
    PIPELINE,
    /**
     * Consumes records, processes each of them and writes it to the same partition of another topic; commits written
     * records.
     */
    COPY,
    /** Writes records and waits for their acknowledgements, with as many in flight as the library allows. */
    PRODUCE;

    /** The name in lower case with hyphens, for example {@code at-least-once}. */
    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the scenario with that {@link #label}. */
    @JsonCreator
    public static Scenario of(String label) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no scenario is called " + label + "; there are "
                        + Arrays.stream(values()).map(Scenario::label).collect(Collectors.joining(", "))));
    }
}
