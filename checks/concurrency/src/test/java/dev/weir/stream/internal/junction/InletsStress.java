package dev.weir.stream.internal.junction;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two inputs put two batches each into a queue of size one, and end, while a third thread takes. All batches arrive
 * before the end, and no wake-up is lost.
 */
@JCStressTest
@Outcome(id = "33, 1", expect = Expect.ACCEPTABLE, desc = "all of both, then the end")
@Outcome(expect = Expect.FORBIDDEN, desc = "a batch or a wake-up was lost")
@State
public class InletsStress {

    /** The maximum wait of a take. After a longer wait, a wake-up counts as lost. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final StageMeter METER = new StageMeter();

    private final InputQueues<Integer> inlets =
            new InputQueues<>(2, 1, InputSelection.roundRobin(2), false, Clock.SYSTEM);

    private void feed(int input, int value) {
        try {
            for (int i = 0; i < 2; i++) {
                if (!inlets.put(input, Batch.unacknowledged(new Object[] {value}, 1), METER)) {
                    return;
                }
            }
            inlets.end(input, null);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Actor
    public void first() {
        feed(0, 1);
    }

    @Actor
    public void second() {
        feed(1, 15);
    }

    @Actor
    public void lower(II_Result result) {
        try {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            int sum = 1;
            Batch<Integer> batch;
            while ((batch = inlets.take(deadline, METER)) != null) {
                if (batch.isEmpty()) {
                    inlets.cancel();
                    return;
                }
                sum += batch.get(0);
            }
            result.r1 = sum;
            result.r2 = 1;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Faulty: the queue is unguarded. The remaining batches are counted at the end. */
    @JCStressTest
    @Outcome(id = "33, 1", expect = Expect.ACCEPTABLE, desc = "all of both")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a batch was lost")
    @State
    public static class Broken {

        private final int[] batches = new int[4];
        private volatile int size;

        private void put(int value) {
            int at = size;
            batches[at] = value;
            size = at + 1;
        }

        @Actor
        public void first() {
            put(1);
            put(1);
        }

        @Actor
        public void second() {
            put(15);
            put(15);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = 1;
            for (int batch : batches) {
                result.r1 += batch;
            }
            result.r2 = 1;
        }
    }
}
