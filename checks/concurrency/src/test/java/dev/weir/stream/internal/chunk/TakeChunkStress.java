package dev.weir.stream.internal.chunk;

import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two workers divide a batch of five elements into chunks of two. Each element goes to one worker, and one worker
 * completes the batch.
 */
@JCStressTest
@Outcome(id = "11111, 1, 1", expect = Expect.ACCEPTABLE, desc = "each element once, completed once")
@Outcome(expect = Expect.FORBIDDEN, desc = "an element was left out or given twice")
@State
public class TakeChunkStress {

    private final WorkerBatch<Integer> work =
            new WorkerBatch<>(Batch.unacknowledged(new Object[] {0, 0, 0, 0, 0}, 5), 3);
    private final AtomicInteger digits = new AtomicInteger();
    private final AtomicInteger completions = new AtomicInteger();

    private void work() {
        int from;
        while ((from = work.takeChunk()) >= 0) {
            int to = work.endOf(from);
            for (int i = from; i < to; i++) {
                digits.addAndGet(POWERS[i]);
            }
            if (work.finished(to - from)) {
                completions.incrementAndGet();
            }
        }
    }

    static final int[] POWERS = {1, 10, 100, 1000, 10_000};

    @Actor
    public void first() {
        work();
    }

    @Actor
    public void second() {
        work();
    }

    @Arbiter
    public void arbiter(III_Result result) {
        result.r1 = digits.get();
        result.r2 = completions.get();
        result.r3 = work.isDone() ? 1 : 0;
    }

    /** Faulty: checks for a chunk and takes it in two steps. */
    @JCStressTest
    @Outcome(id = "11111, 1, 1", expect = Expect.ACCEPTABLE, desc = "each element once, completed once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an element was left out or given twice")
    @State
    public static class Broken {

        private volatile int next;
        private final AtomicInteger unfinished = new AtomicInteger(5);
        private final AtomicInteger digits = new AtomicInteger();
        private final AtomicInteger completions = new AtomicInteger();

        private void work() {
            int from;
            while ((from = next) < 5) {
                int to = Math.min(5, from + 2);
                next = to;
                for (int i = from; i < to; i++) {
                    digits.addAndGet(POWERS[i]);
                }
                if (unfinished.addAndGet(from - to) == 0) {
                    completions.incrementAndGet();
                }
            }
        }

        @Actor
        public void first() {
            work();
        }

        @Actor
        public void second() {
            work();
        }

        @Arbiter
        public void arbiter(III_Result result) {
            result.r1 = digits.get();
            result.r2 = completions.get();
            result.r3 = unfinished.get() == 0 ? 1 : 0;
        }
    }
}
