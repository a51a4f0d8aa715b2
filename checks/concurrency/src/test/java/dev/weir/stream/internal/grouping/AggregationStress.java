package dev.weir.stream.internal.grouping;

import dev.weir.stream.Attributes;
import dev.weir.stream.internal.boundary.Crossing;
import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.spi.Clock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Elements are aggregated while another thread takes aggregates. Each element is in exactly one aggregate. */
@JCStressTest
@Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "each once")
@Outcome(expect = Expect.FORBIDDEN, desc = "an element was lost or acknowledged twice")
@State
public class AggregationStress {

    private final PendingCount claims = new PendingCount();
    private final AggregationBuffer<Integer, Integer> exchange = new AggregationBuffer<>(
            new AggregationBuffer.Plan<>(2, null, n -> n, Integer::sum),
            SupervisedCall.by(new StageAttributes(Attributes.named("stress")), Clock.SYSTEM),
            Clock.SYSTEM);

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

    /** Faulty: adds to the open aggregate without a lock. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "each once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an element was lost or acknowledged twice")
    @State
    public static class Broken {

        private volatile int open;

        @SuppressWarnings("NonAtomicVolatileUpdate") // the planted fault
        @Actor
        public void upper() {
            for (int i = 0; i < 3; i++) {
                open = open + 1;
            }
        }

        @Actor
        public void lower(II_Result result) {
            result.r1 = open;
            open = 0;
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 += open;
        }
    }
}
