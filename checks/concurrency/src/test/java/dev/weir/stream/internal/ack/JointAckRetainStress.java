package dev.weir.stream.internal.ack;

import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A caller requests an acknowledgement of a combined element while the last pending one ends. The request is refused,
 * or the input element is acknowledged only after it.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "too late")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "in time, and not finished before it ended as well")
@Outcome(expect = Expect.FORBIDDEN, desc = "the member was lost, finished twice, or under somebody's hands")
@State
public class JointAckRetainStress {

    private final PendingCount claims = new PendingCount();
    private final JointAck joint = new JointAck(1);

    public JointAckRetainStress() {
        Batch<Integer> member = claims.batch(1);
        joint.add(member.target(0), member.token(0));
    }

    @Actor
    public void holder() {
        joint.ack(0);
    }

    @Actor
    public void latecomer(II_Result result) {
        if (joint.tryRetain()) {
            result.r2 = claims.acks() == 0 ? 1 : -1;
            joint.ack(0);
        }
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = claims.acks();
    }

    /** Faulty: checks and adds in two steps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "too late")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "in time, and not finished before it ended as well")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the member was lost, finished twice, or under somebody's hands")
    @State
    public static class Broken {

        private final AtomicInteger acks = new AtomicInteger();
        private final AtomicInteger claims = new AtomicInteger(1);

        private void ack() {
            if (claims.decrementAndGet() == 0) {
                acks.incrementAndGet();
            }
        }

        @Actor
        public void holder() {
            ack();
        }

        @Actor
        public void latecomer(II_Result result) {
            if (claims.get() != 0) {
                claims.incrementAndGet();
                result.r2 = acks.get() == 0 ? 1 : -1;
                ack();
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = acks.get();
        }
    }
}
