package dev.weir.kafka.batch;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** The outcome of one record in a call of a {@link BatchHandler}. Immutable. */
public sealed interface BatchOutcome {

    /** The record was handled and is emitted as the flow's result. */
    record Done() implements BatchOutcome {
        private static final Done DONE = new Done();
    }

    /** The record is not needed. It is dropped and its offset is committed. */
    record Skip() implements BatchOutcome {
        private static final Skip SKIP = new Skip();
    }

    /**
     * The record failed, as if a single-record handler had thrown an exception.
     *
     * @param cause the exception, which selects the flow's rule: retries, retry topics, or dead-letter records
     */
    record Retry(Throwable cause) implements BatchOutcome {

        /** Rejects null. */
        public Retry {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /**
     * The record goes to the dead-letter topic immediately.
     *
     * @param cause the cause to report in the dead-letter record
     */
    record DeadLetter(Throwable cause) implements BatchOutcome {

        /** Rejects null. */
        public DeadLetter {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /** Returns the outcome of a record that was handled. */
    static BatchOutcome done() {
        return Done.DONE;
    }

    /** Returns the outcome of a record to be dropped and committed. */
    static BatchOutcome skip() {
        return Skip.SKIP;
    }

    /**
     * Returns the outcome of a failed record. The flow's rules for {@code cause} apply, as if a single-record handler
     * had thrown it. If the order per key matters, also return this outcome for later records with the same key in this
     * call. Records with the outcome done are not handled again after the retry.
     */
    static BatchOutcome retry(Throwable cause) {
        return new Retry(cause);
    }

    /**
     * Returns the outcome of a record that goes to the dead-letter topic immediately. Without such a topic, the
     * pipeline fails.
     */
    static BatchOutcome deadLetter(Throwable cause) {
        return new DeadLetter(cause);
    }

    /** Returns a list with one {@link #done} for each of the given records. */
    static List<BatchOutcome> allDone(Collection<?> records) {
        return Collections.nCopies(Objects.requireNonNull(records, "records").size(), done());
    }
}
