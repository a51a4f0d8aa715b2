package dev.weir.lean.spi;

import java.io.Serial;
import java.util.Objects;

/**
 * A violation of one of Weir's numbered invariants: a fault of Weir, found before anything wrong is written or
 * committed. It ends the run. Immutable.
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
     * @param number of the invariant in {@code docs/internals/invariants.md}
     * @param invariant its sentence there, without the full stop
     * @param state what the check saw, in a few words and numbers
     */
    public InvariantException(int number, String invariant, String state) {
        super("invariant " + number + " does not hold: " + Objects.requireNonNull(invariant, "invariant") + "; state: "
                + Objects.requireNonNull(state, "state")
                + ". Nothing wrong was written: this is a fault of Weir, please report it with this message");
        this.number = number;
    }

    /** Returns the number of the invariant. */
    public int number() {
        return number;
    }
}
