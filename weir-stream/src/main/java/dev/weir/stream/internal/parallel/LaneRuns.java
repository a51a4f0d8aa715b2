package dev.weir.stream.internal.parallel;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The runs of several elements that lanes are at work on. Guarded by the lock of its owner. */
final class LaneRuns {

    /** Settles an element: {@link ParallelLanes#settle}. */
    @FunctionalInterface
    interface Settlement {
        void settle(int slot, Object outcome);
    }

    private final LaneTable<?> table;
    private final Settlement settlement;

    /** Few: quick work has few lanes. */
    private final List<LaneRun> underWay = new ArrayList<>();

    LaneRuns(LaneTable<?> table, Settlement settlement) {
        this.table = table;
        this.settlement = settlement;
    }

    boolean isEmpty() {
        return underWay.isEmpty();
    }

    void add(LaneRun run) {
        underWay.add(run);
    }

    void remove(LaneRun run) {
        boolean ignored = underWay.remove(run);
    }

    /** Elements that wait for another of their run. */
    int notBegun() {
        int sum = 0;
        for (LaneRun run : underWay) {
            sum += run.notBegun();
        }
        return sum;
    }

    /** Takes back what has not begun and settles what is done, of all runs; whether there was anything. */
    boolean gatherIn() {
        boolean any = false;
        for (LaneRun run : underWay) {
            any |= gatherIn(run);
        }
        // Each lane has only the element left that it is at work on.
        underWay.clear();
        return any;
    }

    /** The same of those in which nothing was done since the last look. */
    boolean gatherInStuck() {
        boolean any = false;
        for (Iterator<LaneRun> all = underWay.iterator(); all.hasNext(); ) {
            LaneRun run = all.next();
            if (run.isStuck()) {
                all.remove();
                any |= gatherIn(run);
            }
        }
        return any;
    }

    /** The same of one run. */
    boolean gatherIn(LaneRun run) {
        boolean any = run.takeBack(table) > 0;
        while (run.hasDone()) {
            any = true;
            int slot = run.slot();
            settlement.settle(slot, run.takeOutcome());
        }
        return any;
    }
}
