package dev.weir.lean.spi;

import java.io.Serial;
import java.util.Objects;

/**
 * Thrown if one of Weir's numbered invariants is violated, which means that Weir has a bug. It is thrown before Weir
 * creates the batch, request or commit that would violate the invariant. The pipeline or producer then fails.
 * Immutable.
 *
 * <p>Invariants are checked when a batch, a request or a commit is created, never per record.
 */
public final class InvariantException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int number;

    /**
     * Creates the exception for a violated invariant.
     *
     * @param number the invariant's number in {@code docs/internals/invariants.md}
     * @param invariant the text of the invariant from that page, without the full stop
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
