package dev.weir.kafka.produce;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rule for records that can never be written: they cannot be serialized, are too large, are rejected by the broker,
 * or have a missing or forbidden topic. Transient errors are retried instead, and errors of the whole producer or
 * cluster always fail the run. Immutable.
 */
public final class WriteFailures {

    private final Values values;

    private WriteFailures(Action action, @Nullable DeadLetterTopic deadLetterTopic, boolean ofTopics) {
        this.values = new Values(action, deadLetterTopic, ofTopics);
    }

    /** The action for a record that can never be written. */
    public Action action() {
        return values.action;
    }

    /** The destination of dead-letter records if the action is {@link Action#DEAD_LETTER}, otherwise null. */
    public @Nullable DeadLetterTopic deadLetterTopic() {
        return values.deadLetterTopic;
    }

    /**
     * Returns whether the rule also covers missing and forbidden topics. If not, a record for such a topic fails the
     * run.
     */
    public boolean ofTopics() {
        return values.ofTopics;
    }

    /** The action for a record that cannot be written. */
    public enum Action {
        /** Fails the run with {@link dev.weir.kafka.ProduceException}. The input is not acknowledged. */
        FAIL,
        /** Skips the record and logs a warning. The input is acknowledged as if the record had been written. */
        SKIP,
        /** Writes the record to the dead-letter topic, and then acknowledges the input. */
        DEAD_LETTER
    }

    /** Returns the default rule, which fails the run at the first record that cannot be written. */
    public static WriteFailures fail() {
        return new WriteFailures(Action.FAIL, null, true);
    }

    /** Returns a rule that skips records that cannot be written, and acknowledges their inputs. */
    public static WriteFailures skip() {
        return new WriteFailures(Action.SKIP, null, true);
    }

    /**
     * Returns a rule that writes a dead-letter record for each record that cannot be written. The dead-letter record
     * identifies the input, if the source provides it. It contains the record that could not be written, unless that
     * record cannot be serialized or is too large for the dead-letter topic as well. The header
     * {@link dev.weir.kafka.deadletter.DeadLetterHeaders#OUTPUT} names the output topic.
     */
    public static WriteFailures deadLetter(DeadLetterTopic deadLetterTopic) {
        return new WriteFailures(Action.DEAD_LETTER, Objects.requireNonNull(deadLetterTopic, "deadLetterTopic"), true);
    }

    /**
     * Returns a copy of this rule that applies only if the record itself is the cause. With this copy, a record for a
     * topic that does not exist or is forbidden fails the run.
     */
    public WriteFailures ofRecordsOnly() {
        return new WriteFailures(values.action, values.deadLetterTopic, false);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WriteFailures that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "WriteFailures");
    }

    private record Values(Action action, @Nullable DeadLetterTopic deadLetterTopic, boolean ofTopics) {

        Values {
            Objects.requireNonNull(action, "action");
            if ((action == Action.DEAD_LETTER) != (deadLetterTopic != null)) {
                throw new IllegalArgumentException(
                        "a dead-letter topic goes with action=DEAD_LETTER and with no other: action=" + action);
            }
        }
    }
}
