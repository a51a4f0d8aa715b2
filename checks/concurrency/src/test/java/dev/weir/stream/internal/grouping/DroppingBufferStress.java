package dev.weir.stream.internal.grouping;

import dev.weir.stream.OverflowStrategy;
import dev.weir.stream.internal.boundary.Crossing;
import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * One thread puts more elements than fit while another takes. Each element is taken or dropped, and acknowledged
 * exactly once.
 */
@JCStressTest
@Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "each once")
@Outcome(expect = Expect.FORBIDDEN, desc = "an element was lost or acknowledged twice")
@State
public class DroppingBufferStress {

    private final PendingCount claims = new PendingCount();
    private final DroppingBuffer<Integer> exchange = new DroppingBuffer<>(1, OverflowStrategy.DROP_HEAD, Clock.SYSTEM);

    @Actor
    public void upper() {
        Crossing.putAll(exchange, claims, 3);
    }

    @Actor
    public void lower() {
        Crossing.takeAll(exchange);
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = claims.acks();
        result.r2 = claims.open();
    }

    /** Faulty: the same without a lock. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "each once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an element was lost or acknowledged twice")
    @State
    public static class Broken {

        private final PendingCount claims = new PendingCount();
        private volatile List<Batch<Integer>> waiting = List.of();

        @Actor
        public void upper() {
            for (int i = 0; i < 3; i++) {
                List<Batch<Integer>> more = new ArrayList<>(waiting);
                more.add(claims.batch(1));
                waiting = more;
            }
        }

        @Actor
        public void lower() {
            takeAll();
        }

        private void takeAll() {
            List<Batch<Integer>> taken = waiting;
            waiting = List.of();
            taken.forEach(Batch::ackAll);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            takeAll();
            result.r1 = claims.acks();
            result.r2 = claims.open();
        }
    }
}
