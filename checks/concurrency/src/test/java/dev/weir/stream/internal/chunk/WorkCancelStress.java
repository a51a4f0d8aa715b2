package dev.weir.stream.internal.chunk;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A batch is cancelled while two workers process it. Each of its two elements is abandoned exactly once. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "each abandoned once")
@Outcome(expect = Expect.FORBIDDEN, desc = "one was left, or abandoned twice")
@State
public class WorkCancelStress {

    private final Abandoned abandoned = new Abandoned();
    private final WorkerBatch<Integer> work = new WorkerBatch<>(abandoned.batch(), 2);

    /** Counts how often each of two elements is abandoned. */
    static final class Abandoned implements AckTarget {

        private final AtomicInteger[] counts = {new AtomicInteger(), new AtomicInteger()};

        Batch<Integer> batch() {
            return Batch.of(new Object[] {0, 0}, 2, this, new long[] {0, 1});
        }

        @Override
        public void ack(long token) {
            throw new AssertionError();
        }

        @Override
        public void abandon(long token) {
            counts[(int) token].incrementAndGet();
        }

        @Override
        public void retain(long token, int claims) {
            throw new AssertionError();
        }

        void into(II_Result result) {
            result.r1 = counts[0].get();
            result.r2 = counts[1].get();
        }
    }

    private void work() {
        int from;
        while ((from = work.takeChunk()) >= 0) {
            boolean ignored = work.finished(work.endOf(from) - from);
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

    @Actor
    public void closer() {
        work.cancel();
    }

    @Arbiter
    public void arbiter(II_Result result) {
        abandoned.into(result);
    }

    /** Faulty: each side checks for the other before it reports its own action. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "each abandoned once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "one was left, or abandoned twice")
    @State
    public static class Broken {

        private final Abandoned abandoned = new Abandoned();
        private final Batch<Integer> batch = abandoned.batch();
        private final AtomicInteger unfinished = new AtomicInteger(2);
        private volatile boolean cancelled;

        private void work() {
            boolean late = cancelled;
            if (unfinished.decrementAndGet() == 0 && late) {
                batch.abandonAll();
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

        @Actor
        public void closer() {
            boolean done = unfinished.get() == 0;
            cancelled = true;
            if (done) {
                batch.abandonAll();
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            abandoned.into(result);
        }
    }
}
