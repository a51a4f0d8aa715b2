package dev.weir.stream.internal.ack;

import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.spi.Batch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A closed stage leaves a pending acknowledgement while its substream is reported as completed. The element is
 * acknowledged once.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "once")
@Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
@State
public class LeftoversStress {

    private final PendingCount claims = new PendingCount();
    private final Batch<Integer> batch = claims.batch(1);
    private final LeftoverAcknowledgements leftovers = new LeftoverAcknowledgements();

    @Actor
    public void holder() {
        leftovers.add(batch.target(0), batch.token(0));
    }

    @Actor
    public void owner() {
        leftovers.finish();
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = claims.acks();
        result.r2 = claims.open();
    }

    /** Faulty: checks whether the stream has ended, and stores the acknowledgement, in two steps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
    @State
    public static class Broken {

        private final PendingCount claims = new PendingCount();
        private final Batch<Integer> batch = claims.batch(1);
        private volatile boolean finished;
        private volatile boolean left;

        @Actor
        public void holder() {
            if (finished) {
                batch.ackAll();
            } else {
                left = true;
            }
        }

        @Actor
        public void owner() {
            if (left) {
                batch.ackAll();
            }
            finished = true;
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = claims.acks();
            result.r2 = claims.open();
        }
    }
}
