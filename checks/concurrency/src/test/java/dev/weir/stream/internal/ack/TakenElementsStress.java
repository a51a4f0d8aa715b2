package dev.weir.stream.internal.ack;

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

/** A run fails while one of its elements is acknowledged. The element ends exactly once. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "acknowledged before the run abandoned it")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "abandoned with the run")
@Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
@State
public class TakenElementsStress {

    private final Ends ends = new Ends();
    private final TakenElements elements = new TakenElements();
    private final Batch<Integer> taken = elements.take(ends.batch());

    @Actor
    public void holder() {
        taken.ackAll();
    }

    @Actor
    public void run() {
        elements.abandonAll();
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = ends.acks.get();
        result.r2 = ends.abandoned.get();
    }

    /** Counts how often its element ends. */
    private static final class Ends implements AckTarget {

        private final AtomicInteger acks = new AtomicInteger();
        private final AtomicInteger abandoned = new AtomicInteger();

        Batch<Integer> batch() {
            return Batch.of(new Object[] {1}, 1, this, new long[1]);
        }

        @Override
        public void ack(long token) {
            acks.incrementAndGet();
        }

        @Override
        public void abandon(long token) {
            abandoned.incrementAndGet();
        }

        @Override
        public void retain(long token, int count) {}
    }

    /** Faulty: checks whether the element has ended, and ends it, in two steps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "acknowledged before the run abandoned it")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "abandoned with the run")
    @Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
    @State
    public static class Broken {

        private final Ends ends = new Ends();
        private volatile boolean ended;

        @Actor
        public void holder() {
            if (!ended) {
                ended = true;
                ends.ack(0);
            }
        }

        @Actor
        public void run() {
            if (!ended) {
                ended = true;
                ends.abandon(0);
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = ends.acks.get();
            result.r2 = ends.abandoned.get();
        }
    }
}
