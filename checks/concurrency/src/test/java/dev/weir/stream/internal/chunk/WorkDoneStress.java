package dev.weir.stream.internal.chunk;

import dev.weir.stream.spi.Batch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A worker replaces two elements while the downstream stage checks whether they are done. If they are, the stage sees
 * both replacements.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not done yet")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "done, and both results are there")
@Outcome(expect = Expect.FORBIDDEN, desc = "done before a result could be seen")
@State
public class WorkDoneStress {

    private final WorkerBatch<Integer> work = new WorkerBatch<>(Batch.unacknowledged(new Object[] {0, 0}, 2), 2);

    @Actor
    public void worker() {
        int from;
        while ((from = work.takeChunk()) >= 0) {
            work.batch.set(from, 1);
            boolean ignored = work.finished(1);
        }
    }

    @Actor
    public void puller(III_Result result) {
        if (work.isDone()) {
            result.r1 = 1;
            result.r2 = work.batch.get(0);
            result.r3 = work.batch.get(1);
        }
    }

    /** Faulty: the worker reports completion before it writes. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not done yet")
    @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "done, and both results are there")
    @Outcome(expect = Expect.FORBIDDEN, desc = "done before a result could be seen")
    @State
    public static class Broken {

        private final WorkerBatch<Integer> work = new WorkerBatch<>(Batch.unacknowledged(new Object[] {0, 0}, 2), 2);

        @Actor
        public void worker() {
            int from;
            while ((from = work.takeChunk()) >= 0) {
                boolean ignored = work.finished(1);
                work.batch.set(from, 1);
            }
        }

        @Actor
        public void puller(III_Result result) {
            if (work.isDone()) {
                result.r1 = 1;
                result.r2 = work.batch.get(0);
                result.r3 = work.batch.get(1);
            }
        }
    }
}
