package dev.weir.bench.explore;

import dev.weir.bench.explore.Outcome.Result;
import org.jspecify.annotations.Nullable;

/** Repeats one trial until enough results agree. Confined to one thread; used once. */
final class Poll {
    private static final int MAJORITY = 2;

    private final Attempt attempt;
    private final boolean passCounts;
    private int passed;
    private int failed;
    private int unsent;

    /**
     * Creates a poll for this trial.
     *
     * @param passCounts whether a first trial that passes is enough; otherwise two results must agree
     */
    Poll(Attempt attempt, boolean passCounts) {
        this.attempt = attempt;
        this.passCounts = passCounts;
    }

    Attempt attempt() {
        return attempt;
    }

    /** Adds a result. Returns the decision, or null if another trial is needed. */
    @Nullable
    Result answer(Result result) {
        switch (result) {
            case PASSED -> passed++;
            case FAILED -> failed++;
            case GENERATOR_BOUND -> unsent++;
        }
        if (passed == MAJORITY || (passCounts && passed == 1 && failed == 0)) {
            return Result.PASSED;
        }
        return failed == MAJORITY ? Result.FAILED : unsent == MAJORITY ? Result.GENERATOR_BOUND : null;
    }
}
