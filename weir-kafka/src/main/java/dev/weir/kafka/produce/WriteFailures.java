package dev.weir.kafka.produce;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rule for records that can never be written: not serializable, too large, refused by the broker, or for a topic
 * that does not exist or is forbidden. Immutable. The rule never applies to transient errors, which are retried
 * internally, nor to errors of a whole producer or cluster, which always fail the run.
 */
public final class WriteFailures {

    private final Values values;

    private WriteFailures(Action action, @Nullable DeadLetterTopic deadLetterTopic, boolean ofTopics) {
        this.values = new Values(action, deadLetterTopic, ofTopics);
    }

    /** The action on such a record. */
    public Action action() {
        return values.action;
    }

    /** The destination of dead-letter records for {@link Action#DEAD_LETTER}. */
    public @Nullable DeadLetterTopic deadLetterTopic() {
        return values.deadLetterTopic;
    }

    /** Returns whether the rule also covers topics that do not exist or are forbidden; if not they fail the run. */
    public boolean ofTopics() {
        return values.ofTopics;
    }

    /** The action on such a record. */
    public enum Action {
        /** The run fails with {@link dev.weir.kafka.ProduceException}; the input stays unacknowledged. */
        FAIL,
        /** The record is left out with a warning; the input is acknowledged as if it were written. */
        SKIP,
        /** The input is acknowledged once the dead-letter topic has the record. */
        DEAD_LETTER
    }

    /** Fails the run at the first such record; the default. */
    public static WriteFailures fail() {
        return new WriteFailures(Action.FAIL, null, true);
    }

    /** Skips such records and acknowledges their inputs. */
    public static WriteFailures skip() {
        return new WriteFailures(Action.SKIP, null, true);
    }

    /**
     * Sends such records to the dead-letter topic. The dead-letter record names the input, if the source provides it,
     * and contains the record that could not be written, unless that is not serializable or too large for the
     * dead-letter topic as well. {@link dev.weir.kafka.deadletter.DeadLetterHeaders#OUTPUT} names its output topic.
     */
    public static WriteFailures deadLetter(DeadLetterTopic deadLetterTopic) {
        return new WriteFailures(Action.DEAD_LETTER, Objects.requireNonNull(deadLetterTopic, "deadLetterTopic"), true);
    }

    /** Returns a copy for single records only: a topic that does not exist or is forbidden fails the run. */
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
