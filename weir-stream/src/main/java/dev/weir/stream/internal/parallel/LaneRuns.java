package dev.weir.stream.internal.parallel;

import java.util.Arrays;
import java.util.function.Consumer;

/** The runs of several slots that lanes are at work on. Guarded by the lock of its owner. */
final class LaneRuns {

    private LaneRun[] runs = new LaneRun[4];
    private int count;

    void add(LaneRun run) {
        if (count == runs.length) {
            runs = Arrays.copyOf(runs, 2 * count);
        }
        run.place = count;
        runs[count++] = run;
    }

    /** Does nothing if it is not among them. */
    void remove(LaneRun run) {
        if (run.place >= 0) {
            LaneRun last = runs[--count];
            runs[run.place] = last;
            last.place = run.place;
            run.place = -1;
        }
    }

    /** How many slots nobody has begun. */
    int unbegun() {
        int unbegun = 0;
        for (int i = 0; i < count; i++) {
            unbegun += runs[i].unbegun();
        }
        return unbegun;
    }

    void forEach(Consumer<LaneRun> each) {
        for (int i = 0; i < count; i++) {
            each.accept(runs[i]);
        }
    }
}
