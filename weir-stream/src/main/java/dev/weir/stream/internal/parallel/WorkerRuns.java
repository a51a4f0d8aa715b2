package dev.weir.stream.internal.parallel;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Current runs of workers that have taken several elements. Guarded by the stage's lock. */
final class WorkerRuns {

    @FunctionalInterface
    interface Settlement {
        void settle(int slot, Object outcome);
    }

    private final ElementTable<?> table;
    private final Settlement settlement;

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

    int notBegun() {
        int sum = 0;
        for (WorkerRun run : underWay) {
            sum += run.notBegun();
        }
        return sum;
    }

    /**
     * Takes unstarted elements back and settles finished ones in all runs. Returns whether there were any such
     * elements.
     */
    boolean gatherIn() {
        boolean any = false;
        for (WorkerRun run : underWay) {
            any |= gatherIn(run);
        }
        // Runs without unstarted elements need not be tracked.
        underWay.clear();
        return any;
    }

    /** Does the same as {@link #gatherIn()}, for runs that have made no progress since the last check. */
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

    /**
     * Takes unstarted elements back and settles finished ones in one run. Returns whether there were any such elements.
     */
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
