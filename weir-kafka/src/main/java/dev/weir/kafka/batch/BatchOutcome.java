package dev.weir.kafka.batch;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** The outcome of one record in a call of a {@link BatchHandler}. Immutable. */
public sealed interface BatchOutcome {

    /** The record is handled and emitted as the flow's result. */
    record Done() implements BatchOutcome {
        private static final Done DONE = new Done();
    }

    /** The record is not wanted: it is dropped and committed. */
    record Skip() implements BatchOutcome {
        private static final Skip SKIP = new Skip();
    }

    /**
     * The record failed, as if a single-record handler had thrown.
     *
     * @param cause decides which of the flow's rules applies: retries with delays, retry topics, dead-letter records
     */
    record Retry(Throwable cause) implements BatchOutcome {

        /** Refuses null. */
        public Retry {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /**
     * The record goes to the dead-letter topic at once.
     *
     * @param cause for the dead-letter record
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
     * The record failed: the flow's rules for {@code cause} apply, as if a single-record handler had thrown it. If
     * order matters, return the same outcome for later records of its key in the call; a record reported as done is not
     * handled again.
     */
    static BatchOutcome retry(Throwable cause) {
        return new Retry(cause);
    }

    /** The record goes to the dead-letter topic at once; without such a topic the pipeline fails. */
    static BatchOutcome deadLetter(Throwable cause) {
        return new DeadLetter(cause);
    }

    /** Returns one {@link #done} for each of these records. */
    static List<BatchOutcome> allDone(Collection<?> records) {
        return Collections.nCopies(Objects.requireNonNull(records, "records").size(), done());
    }
}
