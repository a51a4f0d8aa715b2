package dev.weir.kafka.produce;

import dev.weir.kafka.DeadLetters;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rule for records that cannot be written and that a retry would not help: not serialisable, too large, refused by
 * the broker, for a topic that does not exist or that is forbidden. Immutable. Errors that pass are retried inside and
 * never come here; those of a producer or cluster as a whole always fail the run.
 */
public final class WriteFailures {

    private final Values values;

    private WriteFailures(Action action, @Nullable DeadLetters letters, boolean ofTopics) {
        this.values = new Values(action, letters, ofTopics);
    }

    /** The action. */
    public Action action() {
        return values.action;
    }

    /** The destination of dead letters, with {@link Action#DEAD_LETTER}. */
    public @Nullable DeadLetters letters() {
        return values.letters;
    }

    /** Returns whether it holds for topics that do not exist or are forbidden, too; if not they fail the run. */
    public boolean ofTopics() {
        return values.ofTopics;
    }

    /** The action on such a record. */
    public enum Action {
        /** The run fails with {@link dev.weir.kafka.ProduceException}; the input stays unacknowledged. */
        FAIL,
        /** The record is left out with a warning; the input is acknowledged as if it were written. */
        SKIP,
        /** The input is acknowledged when a letter stands in the dead-letter topic. */
        DEAD_LETTER
    }

    /** The first such record fails the run; what holds unless another rule is given. */
    public static WriteFailures fail() {
        return new WriteFailures(Action.FAIL, null, true);
    }

    /** Leaves out such records and acknowledges their inputs. */
    public static WriteFailures skip() {
        return new WriteFailures(Action.SKIP, null, true);
    }

    /**
     * Such records become dead letters. A letter says which input the record was made of, as far as its source tells,
     * and holds the record that could not be written, unless it is not serialisable or too large for the dead-letter
     * topic as well; {@link dev.weir.kafka.DeadLetter#OUTPUT} names the topic that it was for.
     */
    public static WriteFailures deadLetter(DeadLetters letters) {
        return new WriteFailures(Action.DEAD_LETTER, Objects.requireNonNull(letters, "letters"), true);
    }

    /** This rule for single records alone: a topic that does not exist or is forbidden fails the run. */
    public WriteFailures ofRecordsOnly() {
        return new WriteFailures(values.action, values.letters, false);
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

    private record Values(Action action, @Nullable DeadLetters letters, boolean ofTopics) {

        Values {
            Objects.requireNonNull(action, "action");
            if ((action == Action.DEAD_LETTER) != (letters != null)) {
                throw new IllegalArgumentException(
                        "dead letters go with action=DEAD_LETTER and with no other: action=" + action);
            }
        }
    }
}
