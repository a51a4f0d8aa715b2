package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Both outputs end before they process the same element. The element must stay unfinished. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "left unfinished by both")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "left unfinished by the last")
@Outcome(expect = Expect.FORBIDDEN, desc = "each counted on the other")
@State
public class OutletsForgoStress {

    private static final StageMeter METER = new StageMeter();

    private final PendingCount claims = new PendingCount();
    private final StageOutputs<Integer> outlets =
            new StageOutputs<>(2, 1, false, Clock.SYSTEM, new TaskGroup("stress", failure -> {}), () -> true);

    public OutletsForgoStress() {
        give(outlets, claims.batch(1));
    }

    /** Hands a batch of one element to both outputs. */
    static void give(StageOutputs<Integer> outlets, Batch<Integer> batch) {
        batch.retainAll(1);
        try {
            boolean ignored = outlets.get(0).give(batch.copy(), METER);
            ignored = outlets.get(1).give(batch, METER);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void forgoAndEnd(int output) {
        try {
            Objects.requireNonNull(outlets.get(output).pull(Stage.NEVER)).forgo(0);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        outlets.ended(output);
    }

    @Actor
    public void first() {
        forgoAndEnd(0);
    }

    @Actor
    public void second() {
        forgoAndEnd(1);
    }

    @Arbiter
    public void arbiter(I_Result result) {
        outlets.leave();
        result.r1 = claims.acks();
    }

    /** Faulty: counts an output as live until it has ended. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "left unfinished by both")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "left unfinished by the last")
    @Outcome(expect = Expect.FORBIDDEN, desc = "each counted on the other")
    @State
    public static class Broken {

        private final AtomicInteger live = new AtomicInteger(2);
        private final AtomicInteger acks = new AtomicInteger();

        private void forgoAndEnd() {
            if (live.get() > 1) {
                acks.incrementAndGet();
            }
            live.decrementAndGet();
        }

        @Actor
        public void first() {
            forgoAndEnd();
        }

        @Actor
        public void second() {
            forgoAndEnd();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = acks.get();
        }
    }
}
