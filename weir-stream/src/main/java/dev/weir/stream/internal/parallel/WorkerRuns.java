package dev.weir.stream.internal.parallel;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The runs of several elements that workers are at work on. Guarded by the lock of its owner. */
final class WorkerRuns {

    /** Settles an element: {@link ParallelStage#settle}. */
    @FunctionalInterface
    interface Settlement {
        void settle(int slot, Object outcome);
    }

    private final ElementTable<?> table;
    private final Settlement settlement;

    /** Few: quick work has few workers. */
    private final List<WorkerRun> underWay = new ArrayList<>();

    WorkerRuns(ElementTable<?> table, Settlement settlement) {
        this.table = table;
        this.settlement = settlement;
    }

    boolean isEmpty() {
        return underWay.isEmpty();
    }

    void add(WorkerRun run) {
        underWay.add(run);
    }

    void remove(WorkerRun run) {
        boolean ignored = underWay.remove(run);
    }

    /** Elements that wait for another of their run. */
    int notBegun() {
        int sum = 0;
        for (WorkerRun run : underWay) {
            sum += run.notBegun();
        }
        return sum;
    }

    /** Takes back what has not begun and settles what is done, of all runs; whether there was anything. */
    boolean gatherIn() {
        boolean any = false;
        for (WorkerRun run : underWay) {
            any |= gatherIn(run);
        }
        // Each worker has only the element left that it is at work on.
        underWay.clear();
        return any;
    }

    /** The same of those in which nothing was done since the last look. */
    boolean gatherInStuck() {
        boolean any = false;
        for (Iterator<WorkerRun> all = underWay.iterator(); all.hasNext(); ) {
            WorkerRun run = all.next();
            if (run.isStuck()) {
                all.remove();
                any |= gatherIn(run);
            }
        }
        return any;
    }

    /** The same of one run. */
    boolean gatherIn(WorkerRun run) {
        boolean any = run.takeBack(table) > 0;
        while (run.hasDone()) {
            any = true;
            int slot = run.slot();
            settlement.settle(slot, run.takeOutcome());
        }
        return any;
    }
}
