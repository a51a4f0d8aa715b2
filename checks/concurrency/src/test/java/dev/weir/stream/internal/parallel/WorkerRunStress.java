package dev.weir.stream.internal.parallel;

import dev.weir.stream.Ordering;
import dev.weir.stream.spi.AckTarget;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A worker processes elements while another thread takes back unstarted ones and settles finished ones. Each element is
 * either processed or taken back, and each outcome is settled once.
 */
@JCStressTest
@Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "each one worked on, or given back")
@Outcome(expect = Expect.FORBIDDEN, desc = "an element was lost or taken twice, or an outcome not seen")
@State
public class WorkerRunStress {

    private static final int ELEMENTS = 3;

    private final ElementTable<Integer> table = new ElementTable<>(4, false, false);
    private final WorkerRun run = new WorkerRun();
    private final WorkerRuns runs = new WorkerRuns(table, this::settle);
    private int settled;
    private int unseen;

    public WorkerRunStress() {
        for (int n = 0; n < ELEMENTS; n++) {
            boolean ignored = table.offer(n, AckTarget.NONE, 0, Ordering.NO_KEY);
        }
        run.begin(table.takeReady(), table, ELEMENTS);
        runs.add(run);
    }

    private void settle(int slot, Object outcome) {
        settled++;
        if (!(outcome instanceof Integer of) || of != slot) {
            unseen++;
        }
        table.complete(slot, outcome);
    }

    @Actor
    public void lane() {
        for (int slot = run.takeNext(); slot >= 0; slot = run.takeNext()) {
            run.put(slot);
        }
    }

    @Actor
    public void watch() {
        boolean ignored = runs.gatherIn();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        boolean ignored = runs.gatherIn(run);
        result.r1 = settled + table.readyCount();
        result.r2 = unseen + run.notBegun();
    }

    /** Faulty: checks which elements have begun, and takes back the others, in two steps. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "each one worked on, or given back")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an element was lost or taken twice, or an outcome not seen")
    @State
    public static class Broken {

        private final AtomicInteger begun = new AtomicInteger();
        private int worked;
        private int givenBack;

        @Actor
        public void lane() {
            int next;
            while ((next = begun.get()) < ELEMENTS) {
                begun.set(next + 1);
                worked++;
            }
        }

        @Actor
        public void watch() {
            int first = begun.get();
            if (first < ELEMENTS) {
                begun.set(ELEMENTS);
                givenBack = ELEMENTS - first;
            }
        }

        @Arbiter
        public void afterwards(II_Result result) {
            result.r1 = worked + givenBack;
            result.r2 = 0;
        }
    }
}
