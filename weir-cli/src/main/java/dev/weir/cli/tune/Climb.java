package dev.weir.cli.tune;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Goes from version to version: each is made from what was measured of the best one so far. One that is not clearly
 * quicker is measured once more, in turns with the one that it was made from, and taken back if it brings nothing.
 * Confined to the thread of the command.
 *
 * <pre>
 *   best ---- next, measured ---- clearly quicker ------------------------------> the best
 *     ^           |                                                                   ^
 *     |           +-- not clearly: both in turns -- quicker, or equal and simpler ----+
 *     |                                |
 *     +---- another lever ---- taken back
 * </pre>
 */
final class Climb {
    /** A limiter that finds something to do forever ends here. */
    private static final int MOST_STEPS = 12;

    /** Runs versions. */
    interface Runs {

        /**
         * Warms a version up and measures it.
         *
         * @return null if the command was told to stop
         */
        @Nullable
        Measurement measure(Version version, int step) throws InterruptedException;

        /**
         * Measures a version that is warm once more; as many events as another pass.
         *
         * @return records a second; null if the command was told to stop
         */
        @Nullable
        Double again(Version version, int step) throws InterruptedException;

        /** The number of events a pass measures. */
        double eventsOfAPass();

        /** Returns whether nothing is to be run any more: a stop, or outputs that are wrong. */
        boolean areOver();
    }

    private final Runs runs;
    private final Consumer<Outcome> told;

    /** The levers that brought nothing at the best version. */
    private final Set<String> failed = new HashSet<>();

    private Outcome best;

    private Climb(Runs runs, Consumer<Outcome> told, Outcome first) {
        this.runs = runs;
        this.told = told;
        this.best = first;
    }

    /**
     * Goes on until nothing is left to do, or it is over.
     *
     * @param first its caller closes it
     * @param told gets what came of each step
     */
    static void from(Version first, Runs runs, Consumer<Outcome> told) throws InterruptedException {
        Measurement measured = runs.measure(first, 1);
        if (measured == null) {
            return;
        }
        Outcome outcome = Outcome.first(first, measured);
        told.accept(outcome);
        Climb climb = new Climb(runs, told, outcome);
        try {
            climb.up();
        } finally {
            climb.best.version().close();
        }
    }

    private void up() throws InterruptedException {
        for (int step = 2; step <= MOST_STEPS && !runs.areOver(); step++) {
            Version next = best.version().next(best.measured(), Set.copyOf(failed));
            if (next == null) {
                return;
            }
            boolean stays = false;
            try {
                Outcome outcome = outcome(next, step);
                if (outcome == null) {
                    return;
                }
                told.accept(outcome);
                stays = !outcome.isTakenBack();
                take(outcome, stays);
            } finally {
                if (!stays) {
                    next.close();
                }
            }
        }
    }

    private void take(Outcome outcome, boolean stays) {
        if (!stays) {
            failed.add(outcome.version().lever());
            return;
        }
        if (outcome.verdict() == Outcome.Verdict.FASTER) {
            // What brought nothing there may bring something here.
            failed.clear();
        }
        best.version().close();
        best = outcome;
    }

    private @Nullable Outcome outcome(Version next, int step) throws InterruptedException {
        Measurement measured = runs.measure(next, step);
        if (measured == null) {
            return null;
        }
        Outcome outcome =
                Outcome.of(step, next, measured, best.step(), best.measured().recordsPerSecond(), false);
        return outcome.isClear() || runs.areOver() ? outcome : inTurns(outcome);
    }

    private @Nullable Outcome inTurns(Outcome open) throws InterruptedException {
        Passes before = new Passes();
        Passes after = new Passes();
        while (!after.areEnough()) {
            Double old = runs.again(best.version(), best.step());
            Double now = old == null ? null : runs.again(open.version(), open.step());
            if (old == null || now == null) {
                return null;
            }
            before.add(old, runs.eventsOfAPass());
            after.add(now, runs.eventsOfAPass());
        }
        Measurement measured = open.measured().withRate(after.median());
        return Outcome.of(open.step(), open.version(), measured, best.step(), before.median(), true);
    }
}
