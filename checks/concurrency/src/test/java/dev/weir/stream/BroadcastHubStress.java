package dev.weir.stream;

import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A consumer joins and leaves while an element is offered. The element is finished as soon as the other consumer has
 * processed it.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "only the one that stayed")
@Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(expect = Expect.FORBIDDEN, desc = "a claim was made too late or never ended")
@State
public class BroadcastHubStress {

    private static final StageMeter METER = new StageMeter();

    private final PendingCount claims = new PendingCount();
    private final BroadcastHub<Integer> hub = BroadcastHub.create(1);
    private final Hub.Taker<Integer> staying = hub.join(Clock.SYSTEM, METER);

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

    @Actor
    public void passing() {
        hub.join(Clock.SYSTEM, METER).close();
    }

    @Arbiter
    public void arbiter(II_Result result) {
        hub.close();
        try {
            Batch<Integer> batch;
            while ((batch = staying.pull(0)) != null) {
                batch.ackAll();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        result.r1 = claims.acks();
        result.r2 = claims.open();
    }

    /** Faulty: adds acknowledgements for consumers that have left. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "only the one that stayed")
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "both")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a claim was made too late or never ended")
    @State
    public static class Broken {

        private final PendingCount claims = new PendingCount();
        private final List<Integer> takers = new CopyOnWriteArrayList<>(List.of(0));

        @Actor
        public void bringer() {
            Batch<Integer> batch = claims.batch(1);
            for (int i = 1; i < takers.size(); i++) {
                batch.retainAll(1);
            }
            for (Integer ignored : takers) {
                batch.ack(0);
            }
        }

        @Actor
        public void passing() {
            takers.add(1);
            takers.remove(/* index */ 1);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = claims.acks();
            result.r2 = claims.open();
        }
    }
}
