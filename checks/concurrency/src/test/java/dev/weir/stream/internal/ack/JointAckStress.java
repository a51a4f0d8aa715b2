package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * An element combines two input elements and has two holders. Both holders end their acknowledgements, and one first
 * adds two more. Each input element is acknowledged exactly once.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "each member once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a member was lost or acknowledged twice")
@State
public class JointAckStress {

    private final Counting members = new Counting();
    private final JointAck joint = new JointAck(2);

    public JointAckStress() {
        joint.add(members, 0);
        joint.add(members, 1);
        joint.retain(0, 1);
    }

    @Actor
    public void first() {
        joint.ack(0);
    }

    @Actor
    public void second() {
        joint.retain(0, 2);
        joint.ack(0);
        joint.ack(0);
        joint.ack(0);
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = members.acks[0].get();
        result.r2 = members.acks[1].get();
    }

    /**
     * An element built from one input element has two holders. One holder acknowledges its result outside the stream.
     * The second holder abandons the element inside. The input element is abandoned exactly once, inside the stream.
     */
    @JCStressTest
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "all claims ended, one abandoned where it was")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a claim was lost, or what was abandoned inside was told outside")
    @State
    public static class Leave {

        private final AtomicInteger open = new AtomicInteger(1);
        private final AtomicInteger abandonedInside = new AtomicInteger();
        private final AckTarget outside = new Member(new AtomicInteger());
        private final JointAck joint = new JointAck(1);

        public Leave() {
            joint.add(new Member(abandonedInside), 0);
            joint.retain(0, 1);
        }

        private final class Member implements AckTarget {

            private final AtomicInteger abandoned;

            Member(AtomicInteger abandoned) {
                this.abandoned = abandoned;
            }

            @Override
            public void ack(long token) {
                open.decrementAndGet();
            }

            @Override
            public void abandon(long token) {
                open.decrementAndGet();
                abandoned.incrementAndGet();
            }

            @Override
            public void retain(long token, int claims) {
                open.addAndGet(claims);
            }
        }

        @Actor
        public void leaver() {
            joint.leave((inside, token) -> outside).ack(0);
        }

        @Actor
        public void holder() {
            joint.abandon(0);
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = open.get();
            result.r2 = abandonedInside.get();
        }
    }

    /** Faulty: counts acknowledgements without atomic operations. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "each member once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a member was lost or acknowledged twice")
    @State
    public static class Broken {

        private final Counting members = new Counting();
        private volatile int claims = 2;

        @SuppressWarnings("NonAtomicVolatileUpdate") // the planted fault
        private void ack() {
            claims = claims - 1;
            if (claims == 0) {
                members.ack(0);
                members.ack(1);
            }
        }

        @Actor
        public void first() {
            ack();
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // the planted fault
        @Actor
        public void second() {
            claims = claims + 2;
            ack();
            ack();
            ack();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = members.acks[0].get();
            result.r2 = members.acks[1].get();
        }
    }

    private static final class Counting implements AckTarget {

        final AtomicInteger[] acks = {new AtomicInteger(), new AtomicInteger()};

        @Override
        public void ack(long token) {
            acks[(int) token].incrementAndGet();
        }

        @Override
        public void retain(long token, int claims) {
            throw new AssertionError("nobody fans the members out");
        }
    }
}
