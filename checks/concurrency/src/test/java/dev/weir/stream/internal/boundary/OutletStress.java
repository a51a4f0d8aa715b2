package dev.weir.stream.internal.boundary;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A batch is put into an outlet while the downstream stages end. The batch is acknowledged exactly once. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "each batch once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a batch was lost or acknowledged twice")
@State
public class OutletStress {

    private static final StageMeter METER = new StageMeter();

    private final Counting counting = new Counting();
    private final OutputQueue<Integer> outlet = new OutputQueue<>(new BoundaryQueue<>(1, Clock.SYSTEM), () -> true);

    private Batch<Integer> batch() {
        return Batch.of(new Object[] {1}, 1, counting, new long[1]);
    }

    @Actor
    public void giver() {
        try {
            for (int i = 0; i < 2; i++) {
                boolean ignored = outlet.give(batch(), METER);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Actor
    public void lower() {
        outlet.release(true);
    }

    @Arbiter
    public void arbiter(I_Result result) {
        result.r1 = counting.acks.get();
    }

    /** Faulty: checks whether the outlet was released, and puts the batch, in two steps. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "each batch once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a batch was lost or acknowledged twice")
    @State
    public static class Broken {

        private final Counting counting = new Counting();
        private final ArrayDeque<Integer> queue = new ArrayDeque<>();
        private volatile boolean released;

        private void give() {
            if (released) {
                counting.ack(0);
            } else {
                queue.add(1);
            }
        }

        @Actor
        public void giver() {
            give();
            give();
        }

        @Actor
        public void lower() {
            released = true;
            while (queue.poll() != null) {
                counting.ack(0);
            }
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = counting.acks.get();
        }
    }

    private static final class Counting implements AckTarget {

        final AtomicInteger acks = new AtomicInteger();

        @Override
        public void ack(long token) {
            acks.incrementAndGet();
        }

        @Override
        public void retain(long token, int claims) {
            throw new AssertionError("nobody fans the batch out");
        }
    }
}
