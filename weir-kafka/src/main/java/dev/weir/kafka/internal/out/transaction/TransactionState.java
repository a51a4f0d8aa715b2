package dev.weir.kafka.internal.out.transaction;

import dev.weir.lean.spi.InvariantException;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The state of the transactions of an exactly-once run. Two producers take turns: one transaction may take records
 * while the one before it is being committed. {@link TransactionsOfRun} owns the state.
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

    /** A transaction takes records; none is being committed. */
    FILLING,

    /** A cut is being committed and the brokers do not have all its records yet, so no other transaction begins. */
    FLUSHING,

    /** A cut is being committed and the brokers have all its records. */
    FLUSHED,

    /** As {@link #FLUSHED}, while the next transaction takes records. */
    OVERLAPPING,

    /** Everything open must be aborted. A running commit continues until its outcome is known; no record is taken. */
    ABORT_ASKED,

    /** The committing thread aborts everything open. */
    ABORTING,

    /** Everything is aborted, and the consumer's owner has not rewound yet. */
    ABORTED,

    /** The run has ended: no transaction begins. A running commit or abort completes. */
    ENDED;

    /** A change of the state. */
    enum Transition {

        /** A producer begins a transaction. */
        BEGIN,

        /** Closes the open transaction to records; it will be committed. */
        CUT,

        /** The brokers have all records of the cut. */
        FLUSH,

        /** The cut is committed. */
        COMMIT,

        /** Asks the committing thread to abort everything. */
        ASK_ABORT,

        /** The committing thread starts to abort: on request, or because the brokers refused a record or a commit. */
        ABORT,

        /** Everything is aborted, so that the owner can rewind. */
        FINISH_ABORT,

        /** The aborted inputs are read again, or the aborted records are written again. */
        RESUME,

        /** The run ends. */
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

    /** Returns this state if a running commit continues in it without changing it; otherwise null. */
    private @Nullable TransactionState ifStays() {
        return this == ABORT_ASKED || this == ENDED ? this : null;
    }

    /** Returns whether the transition is legal in this state. */
    boolean allows(Transition transition) {
        return next(transition) != null;
    }

    /**
     * Returns the state that the transition leads to.
     *
     * @throws InvariantException if it is not legal in this state
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

    /**
     * Returns whether a transaction may begin: none takes records, and the brokers have all records of the previous
     * one.
     */
    boolean mayBegin() {
        return allows(Transition.BEGIN);
    }

    /** Returns whether nothing is being committed or aborted, so that the owner may make a cut. */
    boolean mayCut() {
        return this == IDLE || this == FILLING;
    }

    /**
     * Returns whether everything open must be aborted, or is aborted and not yet rewound, so that no record is taken.
     */
    boolean isAborting() {
        return this == ABORT_ASKED || this == ABORTING || this == ABORTED;
    }
}
