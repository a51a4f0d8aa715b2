package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** An element was delivered twice, and both deliveries finish at the same time. The element is acknowledged once. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "once")
@Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
@State
public class ReplayableBatchStress {

    private final PendingCount claims = new PendingCount();
    private final ReplayableBatch<Integer> given = new ReplayableBatch<>(claims.batch(1));
    private final Batch<Integer> one = given.give();
    private final Batch<Integer> other = given.give();

    @Actor
    public void first() {
        one.ackAll();
    }

    @Actor
    public void second() {
        other.ackAll();
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = claims.acks();
        result.r2 = claims.open();
    }

    /**
     * An element is abandoned while its batch is closed after the last attempt. Its source sees it abandoned exactly
     * once.
     */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
    @State
    public static class Close {

        private final Left left = new Left();
        private final ReplayableBatch<Integer> given = new ReplayableBatch<>(left.batch());
        private final Batch<Integer> last = given.give();

        @Actor
        public void holder() {
            last.abandonAll();
        }

        @Actor
        public void section() {
            given.close();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = left.times.get();
        }

        /** Faulty: reads the acknowledgements before setting the closed flag. */
        @JCStressTest
        @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "once")
        @Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
        @State
        public static class Broken {

            private final Left left = new Left();
            private final AtomicInteger claims = new AtomicInteger(1);
            private final AtomicBoolean settled = new AtomicBoolean();
            private volatile boolean closed;

            private void leave() {
                if (settled.compareAndSet(false, true)) {
                    left.abandon(0);
                }
            }

            @Actor
            public void holder() {
                if (claims.decrementAndGet() == 0 && closed) {
                    leave();
                }
            }

            @Actor
            public void section() {
                boolean over = claims.get() == 0;
                closed = true;
                if (over) {
                    leave();
                }
            }

            @Arbiter
            public void arbiter(I_Result result) {
                result.r1 = left.times.get();
            }
        }
    }

    /**
     * Between two attempts, an element is abandoned while its partition is revoked. Its source sees it abandoned
     * exactly once.
     */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
    @State
    public static class Revoked {

        private final Left left = new Left();
        private final ReplayableBatch<Integer> given = new ReplayableBatch<>(left.batch());
        private final Batch<Integer> last = given.give();

        @Actor
        public void holder() {
            last.abandonAll();
        }

        @Actor
        public void source() {
            left.revoked = true;
            given.leaveRevoked();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = left.times.get();
        }

        /** Faulty: reads the acknowledgements before marking the elements as revoked. */
        @JCStressTest
        @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "once")
        @Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
        @State
        public static class Broken {

            private final Left left = new Left();
            private final ReplayableBatch<Integer> given = new ReplayableBatch<>(left.batch());
            private final Batch<Integer> last = given.give();

            @Actor
            public void holder() {
                last.abandonAll();
            }

            @Actor
            public void source() {
                given.leaveRevoked();
                left.revoked = true;
            }

            @Arbiter
            public void arbiter(I_Result result) {
                result.r1 = left.times.get();
            }
        }
    }

    /**
     * The result of one attempt leaves the stream while another attempt's result finishes the element. A finished
     * element gets no further acknowledgement.
     */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "all ended, none added too late")
    @Outcome(expect = Expect.FORBIDDEN, desc = "one left open or added too late")
    @State
    public static class Leave {

        private final Outer outer = new Outer();
        private final SubstreamTarget.Wrapper border = new SubstreamTarget.Wrapper(() -> true);
        private final ReplayableBatch<Integer> given = new ReplayableBatch<>(outer.batch(border));
        private final Batch<Integer> one = given.give();
        private final Batch<Integer> other = given.give();

        @Actor
        public void leaver() {
            SubstreamTarget.leave(one, border);
            one.ackAll();
        }

        @Actor
        public void finisher() {
            other.ackAll();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = outer.open.get() + 100 * outer.late.get();
        }

        /** Faulty: checks whether the element is finished, and adds an acknowledgement, in two steps. */
        @JCStressTest
        @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "all ended, none added too late")
        @Outcome(expect = Expect.FORBIDDEN, desc = "one left open or added too late")
        @State
        public static class Broken {

            private final Outer outer = new Outer();
            private final SubstreamTarget.Wrapper border = new SubstreamTarget.Wrapper(() -> true);
            private final ReplayableBatch<Integer> given = new ReplayableBatch<>(outer.batch(border));
            private final Batch<Integer> other = given.give();

            @Actor
            public void leaver() {
                if (!given.isFinished()) {
                    outer.retain(0, 1);
                    outer.ack(0);
                }
            }

            @Actor
            public void finisher() {
                other.ackAll();
            }

            @Arbiter
            public void arbiter(I_Result result) {
                result.r1 = outer.open.get() + 100 * outer.late.get();
            }
        }
    }

    /** Counts the pending acknowledgements of an element, and any that are added too late. */
    private static final class Outer implements AckTarget {

        private final AtomicInteger open = new AtomicInteger(1);
        private final AtomicInteger late = new AtomicInteger();

        Batch<Integer> batch(SubstreamTarget.Wrapper border) {
            return Batch.of(new Object[] {1}, 1, border.apply(this), new long[1]);
        }

        @Override
        public void ack(long token) {
            open.decrementAndGet();
        }

        @Override
        public void retain(long token, int claims) {
            if (open.getAndAdd(claims) == 0) {
                late.incrementAndGet();
            }
        }
    }

    /** Counts how often its element is abandoned. */
    private static final class Left implements AckTarget {

        private final AtomicInteger times = new AtomicInteger();
        private volatile boolean revoked;

        @Override
        public boolean isRevoked(long token) {
            return revoked;
        }

        Batch<Integer> batch() {
            return Batch.of(new Object[] {1}, 1, this, new long[1]);
        }

        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int claims) {}

        @Override
        public void abandon(long token) {
            times.incrementAndGet();
        }
    }

    /** Faulty: checks whether the element is finished, and finishes it, in two steps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
    @State
    public static class Broken {

        private final PendingCount claims = new PendingCount();
        private final Batch<Integer> batch = claims.batch(1);
        private volatile boolean finished;

        private void finish() {
            if (!finished) {
                finished = true;
                batch.ackAll();
            }
        }

        @Actor
        public void first() {
            finish();
        }

        @Actor
        public void second() {
            finish();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = claims.acks();
            result.r2 = claims.open();
        }
    }
}
