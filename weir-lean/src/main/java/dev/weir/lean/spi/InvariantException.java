package dev.weir.lean.spi;

import java.io.Serial;
import java.util.Objects;

/**
 * A violation of one of Weir's numbered invariants, that is, a bug in Weir. It ends the run before a batch, a request
 * or a commit is made that the invariant forbids. Immutable.
 *
 * <p>Checks throw it where batches, requests or commits are made, never for each record.
 */
public final class InvariantException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int number;

    /**
     * Creates a violation.
     *
     * @param number the invariant's number in {@code docs/internals/invariants.md}
     * @param invariant its text there, without the full stop
     * @param state the observed state, in a few words and numbers
     */
    public InvariantException(int number, String invariant, String state) {
        super("invariant " + number + " does not hold: " + Objects.requireNonNull(invariant, "invariant") + "; state: "
                + Objects.requireNonNull(state, "state")
                + ". The run ends before it acts on that. This is a fault of Weir: please report this message");
        this.number = number;
    }

    /** Returns the number of the invariant. */
    public int number() {
        return number;
    }
}
