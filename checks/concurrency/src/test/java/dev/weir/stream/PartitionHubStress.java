package dev.weir.stream;

import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The consumer for an element is stopped while the element is offered. Either consumer gets the element. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "once")
@Outcome(expect = Expect.FORBIDDEN, desc = "it was lost or came twice")
@State
public class PartitionHubStress {

    private static final StageMeter METER = new StageMeter();

    private final PendingCount claims = new PendingCount();
    private final PartitionHub<Integer> hub = PartitionHub.create(1, 1, (n, takers) -> takers - 1);
    private final Hub.Taker<Integer> staying = hub.join(Clock.SYSTEM, METER);
    private final Hub.Taker<Integer> leaving = hub.join(Clock.SYSTEM, METER);

    @Actor
    public void bringer() {
        try {
            if (!hub.put(claims.batch(1))) {
                throw new AssertionError("closed");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void takeAll(Hub.Taker<Integer> from) {
        try {
            Batch<Integer> batch;
            while ((batch = from.pull(0)) != null) {
                batch.ackAll();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Actor
    public void taker() {
        leaving.stop();
        takeAll(leaving);
        leaving.close();
    }

    @Arbiter
    public void arbiter(II_Result result) {
        hub.close();
        takeAll(staying);
        result.r1 = claims.acks();
        result.r2 = claims.open();
    }

    /** Faulty: checks which consumers are present, and hands over the element, in two steps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "it was lost or came twice")
    @State
    public static class Broken {

        private final PendingCount claims = new PendingCount();
        private final ArrayDeque<Batch<Integer>> staying = new ArrayDeque<>();
        private final ConcurrentLinkedDeque<Batch<Integer>> leaving = new ConcurrentLinkedDeque<>();
        private volatile boolean left;

        @Actor
        public void bringer() {
            Batch<Integer> batch = claims.batch(1);
            if (left) {
                staying.add(batch);
            } else {
                leaving.add(batch);
            }
        }

        @Actor
        public void taker() {
            left = true;
            leaving.forEach(Batch::ackAll);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            staying.forEach(Batch::ackAll);
            result.r1 = claims.acks();
            result.r2 = claims.open();
        }
    }
}
