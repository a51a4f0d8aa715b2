package dev.weir.kafka.internal.out.transaction;

import dev.weir.lean.spi.InvariantException;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The state of an exactly-once run's transactions. Two producers take turns: one transaction may accept records while
 * the previous one is being committed. {@link TransactionsOfRun} owns the state.
 *
 * <pre>
 *           begin            cut              flush             commit
 *   IDLE ------------> FILLING -----> FLUSHING -----> FLUSHED ------------> IDLE
 *                         ^                              | begin
 *                         |            commit            v
 *                         +------------------------- OVERLAPPING
 *
 *   any of these --ask abort--> ABORT_ASKED --abort--> ABORTING --finish abort--> ABORTED --resume--> IDLE
 *   all of these but IDLE -------------abort------------^
 *
 *   any state --end--> ENDED
 * </pre>
 */
enum TransactionState {

    /** No transaction is open. */
    IDLE,

    /** A transaction accepts records; none is being committed. */
    FILLING,

    /** A transaction is being committed, and waits for the brokers' acknowledgements. No other transaction begins. */
    FLUSHING,

    /** A transaction is being committed, and the brokers have all its records. */
    FLUSHED,

    /** Like {@link #FLUSHED}, while the next transaction accepts records. */
    OVERLAPPING,

    /** All open transactions must be aborted. No record is accepted, but a running commit continues. */
    ABORT_ASKED,

    /** The committing thread is aborting all open transactions. */
    ABORTING,

    /** All open transactions are aborted. The consumer's thread has not resumed the run yet. */
    ABORTED,

    /** The run has ended, and no transaction begins. A running commit or abort completes. */
    ENDED;

    /** A transition to another state. */
    enum Transition {
        BEGIN,

        /** Makes the open transaction accept no more records, for its commit. */
        CUT,

        /** Reports that the brokers have all records of the transaction being committed. */
        FLUSH,

        COMMIT,

        /** Asks the committing thread to abort everything. */
        ASK_ABORT,

        /** Starts an abort, on request or because the brokers rejected a record or a commit. */
        ABORT,

        /** Reports that everything is aborted. The consumer's thread can rewind. */
        FINISH_ABORT,

        /** Resumes after the consumer's thread has rewound or has queued the aborted records. */
        RESUME,

        END
    }

    private @Nullable TransactionState next(Transition transition) {
        return switch (transition) {
            case BEGIN -> this == IDLE ? FILLING : this == FLUSHED ? OVERLAPPING : null;
            case CUT -> this == FILLING ? FLUSHING : null;
            case FLUSH -> this == FLUSHING ? FLUSHED : ifStays();
            case COMMIT -> this == FLUSHED ? IDLE : this == OVERLAPPING ? FILLING : ifStays();
            case ASK_ABORT -> isAborting() || this == ENDED ? null : ABORT_ASKED;
            case ABORT ->
                switch (this) {
                    case FILLING, FLUSHING, FLUSHED, OVERLAPPING, ABORT_ASKED -> ABORTING;
                    case ENDED -> ENDED;
                    case IDLE, ABORTING, ABORTED -> null;
                };
            case FINISH_ABORT -> this == ABORTING ? ABORTED : this == ENDED ? ENDED : null;
            case RESUME -> this == ABORTED ? IDLE : null;
            case END -> this == ENDED ? null : ENDED;
        };
    }

    /** Returns this state if progress of a running commit does not change it; otherwise null. */
    private @Nullable TransactionState ifStays() {
        return this == ABORT_ASKED || this == ENDED ? this : null;
    }

    boolean allows(Transition transition) {
        return next(transition) != null;
    }

    /**
     * Returns the state after the transition.
     *
     * @throws InvariantException if the transition is not allowed in this state
     */
    TransactionState after(Transition transition) {
        TransactionState next = next(transition);
        if (next == null) {
            throw new InvariantException(
                    59,
                    "the transactions of a run change their state only as its diagram shows",
                    "the transactions of this run are " + this + " and cannot become " + targets(transition) + " ("
                            + transition + ")");
        }
        return next;
    }

    private static String targets(Transition transition) {
        return Arrays.stream(values())
                .map(from -> from.next(transition))
                .filter(Objects::nonNull)
                .distinct()
                .map(Enum::name)
                .collect(Collectors.joining(" or "));
    }

    /** Returns whether a transaction may begin: none accepts records, and none is being flushed or aborted. */
    boolean mayBegin() {
        return allows(Transition.BEGIN);
    }

    /** Returns whether the open transaction may end: none is being committed or aborted. */
    boolean mayCut() {
        return this == IDLE || this == FILLING;
    }

    /** Returns whether an abort was requested and the run has not resumed yet. No record is accepted meanwhile. */
    boolean isAborting() {
        return this == ABORT_ASKED || this == ABORTING || this == ABORTED;
    }
}
