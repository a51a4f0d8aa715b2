package dev.weir.bench.explore;

import dev.weir.bench.explore.Outcome.Result;
import org.jspecify.annotations.Nullable;

/** One question to the system, asked until enough answers agree. Confined to one thread; used once. */
final class Poll {
    private static final int MAJORITY = 2;

    private final Attempt attempt;
    private final boolean passCounts;
    private int passed;
    private int failed;
    private int unsent;

    /**
     * Asks with this trial.
     *
     * @param passCounts whether one that passes is enough; else two of three decide. One that fails never is enough
     */
    Poll(Attempt attempt, boolean passCounts) {
        this.attempt = attempt;
        this.passCounts = passCounts;
    }

    Attempt attempt() {
        return attempt;
    }

    /**
     * Takes an answer; returns the decision, or null if another answer is needed. A first failure is followed by a vote
     * of three.
     */
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
