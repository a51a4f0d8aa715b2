package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** One of two outputs misses the last element. The element is finished, whichever output ends first. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "worked on below one, acknowledged for the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "it depends on which ended first")
@State
public class OutletsEndStress {

    private final PendingCount claims = new PendingCount();
    private final StageOutputs<Integer> outlets =
            new StageOutputs<>(2, 1, false, Clock.SYSTEM, new TaskGroup("stress", failure -> {}), () -> true);

    public OutletsEndStress() {
        OutletsForgoStress.give(outlets, claims.batch(1));
        outlets.get(0).end(null);
        try {
            Batch<Integer> batch;
            while ((batch = outlets.get(0).pull(Stage.NEVER)) != null) {
                batch.ackAll();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Actor
    public void exhausted() {
        outlets.ended(0);
    }

    @Actor
    public void early() {
        outlets.ended(1);
    }

    @Arbiter
    public void arbiter(I_Result result) {
        outlets.leave();
        result.r1 = claims.acks();
    }

    /** Faulty: checks two conditions of the other output in two steps. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "worked on below one, acknowledged for the other")
    @Outcome(expect = Expect.FORBIDDEN, desc = "it depends on which ended first")
    @State
    public static class Broken {

        private final AtomicInteger live = new AtomicInteger(2);
        private final AtomicInteger acks = new AtomicInteger(1);
        private volatile boolean allTaken;

        @Actor
        public void exhausted() {
            allTaken = true;
            live.decrementAndGet();
        }

        @Actor
        public void early() {
            boolean takenByOthers = allTaken;
            if (live.decrementAndGet() > 0 || takenByOthers) {
                acks.incrementAndGet();
            }
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = acks.get();
        }
    }
}
