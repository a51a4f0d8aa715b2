package dev.weir.stream.internal.parallel;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The current runs of workers with several elements. Guarded by the lock of its owner. */
final class WorkerRuns {

    /** Settles an element: {@link ParallelStage#settle}. */
    @FunctionalInterface
    interface Settlement {
        void settle(int slot, Object outcome);
    }

    private final ElementTable<?> table;
    private final Settlement settlement;

    /** Only a few, because quick work has few workers. */
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

    /** The number of elements that wait for another one of their run. */
    int notBegun() {
        int sum = 0;
        for (WorkerRun run : underWay) {
            sum += run.notBegun();
        }
        return sum;
    }

    /** Takes back unstarted elements and settles finished ones in all runs. Returns whether there were any. */
    boolean gatherIn() {
        boolean any = false;
        for (WorkerRun run : underWay) {
            any |= gatherIn(run);
        }
        // Each worker keeps only its element in flight.
        underWay.clear();
        return any;
    }

    /** Does the same for runs without progress since the last check. */
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

    /** Does the same for one run. */
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
