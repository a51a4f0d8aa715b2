package dev.weir.testkit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a guarantee was violated in a {@link RebalanceSimulation}. Contains the history that led to the violation.
 * Immutable.
 */
@SuppressWarnings("serial") // never serialised
public final class SimulationViolation extends AssertionError {

    private static final int SHOWN = 60;

    private final long seed;
    private final List<String> history;

    /** Creates a violation whose message ends with the last lines of the history. */
    public SimulationViolation(long seed, String what, List<String> history, @Nullable Throwable cause) {
        super(message(seed, what, history), cause);
        this.seed = seed;
        this.history = List.copyOf(history);
    }

    private static String message(long seed, String what, List<String> history) {
        int from = Math.max(0, history.size() - SHOWN);
        return what + "\n  seed " + seed + "; replay(" + seed + ") runs it alone. What came before"
                + (from == 0 ? "" : " (the last " + SHOWN + " of " + history.size() + " lines, history() has all)")
                + ":\n    "
                + String.join("\n    ", history.subList(from, history.size()));
    }

    /** Returns the seed of the simulated run in which the violation occurred. */
    public long seed() {
        return seed;
    }

    /** Returns the events of this run, one per line, with the simulated time. */
    public List<String> history() {
        return history;
    }
}
