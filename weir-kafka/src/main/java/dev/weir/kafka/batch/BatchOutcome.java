package dev.weir.kafka.batch;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** The outcome of one record in a call of a {@link BatchHandler}. Immutable. */
public sealed interface BatchOutcome {

    /** It is handled, and goes on as the flow's result. */
    record Done() implements BatchOutcome {
        private static final Done DONE = new Done();
    }

    /** It is not wanted: dropped and committed. */
    record Skip() implements BatchOutcome {
        private static final Skip SKIP = new Skip();
    }

    /**
     * It failed, as if a handler of single records had thrown.
     *
     * @param cause which the rules of the flow are for: retries with their delays, retry topics, dead letters
     */
    record Retry(Throwable cause) implements BatchOutcome {

        /** Refuses null. */
        public Retry {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /**
     * It becomes a dead letter at once.
     *
     * @param cause for the letter
     */
    record DeadLetter(Throwable cause) implements BatchOutcome {

        /** Refuses null. */
        public DeadLetter {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /** The record is handled. */
    static BatchOutcome done() {
        return Done.DONE;
    }

    /** The record is dropped and committed. */
    static BatchOutcome skip() {
        return Skip.SKIP;
    }

    /**
     * The record failed: the flow's rules for {@code cause} hold, as if a handler of single records had thrown it.
     * Where order matters, answer the same for those of its key that come after it in the call: what is answered as
     * done is not handled again.
     */
    static BatchOutcome retry(Throwable cause) {
        return new Retry(cause);
    }

    /** The record becomes a dead letter at once; without a dead-letter topic the pipeline fails. */
    static BatchOutcome deadLetter(Throwable cause) {
        return new DeadLetter(cause);
    }

    /** One {@link #done} for each of these. */
    static List<BatchOutcome> allDone(Collection<?> records) {
        return Collections.nCopies(Objects.requireNonNull(records, "records").size(), done());
    }
}
