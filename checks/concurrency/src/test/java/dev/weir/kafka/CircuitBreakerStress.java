package dev.weir.kafka;

import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Two calls arrive when the breaker's open time is over. The breaker admits one probe, and the second call waits for
 * its end.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "one after the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "both at once, or one never")
@State
public class CircuitBreakerStress {

    private static final Duration OPEN_FOR = Duration.ofMillis(1);

    private final CircuitBreaker breaker = halfOpen();
    private final AtomicInteger inside = new AtomicInteger();

    /** Returns a half-open breaker that admits one probe and then closes. */
    private static CircuitBreaker halfOpen() {
        VirtualClock clock = new VirtualClock();
        CircuitBreaker breaker =
                CircuitBreaker.consecutive(1, OPEN_FOR).withProbes(1).on(clock);
        breaker.failed(acquire(breaker), new IllegalStateException("down"));
        clock.advance(OPEN_FOR);
        return breaker;
    }

    private static long acquire(CircuitBreaker breaker) {
        try {
            return breaker.acquire();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the number of threads inside, including this one. */
    private static int meet(AtomicInteger inside) {
        int together = inside.incrementAndGet();
        for (int i = 0; i < 10; i++) {
            Thread.onSpinWait();
        }
        inside.decrementAndGet();
        return together;
    }

    private int call() {
        long permit = acquire(breaker);
        int together = meet(inside);
        breaker.succeeded(permit);
        return together;
    }

    @Actor
    public void one(II_Result result) {
        result.r1 = call();
    }

    @Actor
    public void other(II_Result result) {
        result.r2 = call();
    }

    /**
     * A probe is abandoned while another call waits. The waiting call is notified, makes its own probe, and the breaker
     * closes.
     */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "went through and closed it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "not closed")
    @State
    public static class Abandoned {

        private final CircuitBreaker breaker = halfOpen();
        private final long probe = acquire(breaker);

        @Actor
        public void cancelled() {
            breaker.abandoned(probe);
        }

        @Actor
        public void waiting() {
            breaker.succeeded(acquire(breaker));
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = breaker.state() == CircuitBreaker.State.CLOSED ? 1 : 0;
        }
    }

    /** A call becomes unnecessary while it arrives at an open breaker. It must not wait for the breaker to close. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "told")
    @Outcome(expect = Expect.FORBIDDEN, desc = "let through")
    @State
    public static class Needless {

        private final CircuitBreaker breaker = open();
        private volatile boolean needless;

        private static CircuitBreaker open() {
            CircuitBreaker breaker = CircuitBreaker.consecutive(1, OPEN_FOR).on(new VirtualClock());
            breaker.failed(acquire(breaker), new IllegalStateException("down"));
            return breaker;
        }

        @Actor
        public void call(I_Result result) {
            try {
                result.r1 = breaker.acquire(() -> needless) == CircuitBreaker.NO_PERMIT ? 1 : 0;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Actor
        public void revocation() {
            needless = true;
            breaker.lookAgain();
        }

        /**
         * Faulty: the call checks whether it is needless, and then marks itself as waiting. The revocation sets the
         * flag and then notifies waiters.
         */
        @JCStressTest
        @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "told")
        @Outcome(expect = Expect.FORBIDDEN, desc = "waits, and nobody tells it")
        @State
        public static class Broken {

            private volatile boolean needless;
            private volatile boolean waits;
            private volatile boolean told;

            @Actor
            public void call() {
                if (needless) {
                    told = true;
                } else {
                    waits = true;
                }
            }

            @Actor
            public void revocation() {
                needless = true;
                if (waits) {
                    told = true;
                }
            }

            @Arbiter
            public void arbiter(I_Result result) {
                result.r1 = told ? 1 : 0;
            }
        }
    }

    /** Faulty: checks the number of probes and increments it in two steps. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both at once, or one never")
    @State
    public static class Broken {

        private volatile int probes;
        private volatile boolean closed;
        private final AtomicInteger inside = new AtomicInteger();

        @SuppressWarnings("NonAtomicVolatileUpdate") // the planted fault that the case must detect
        private int call() {
            while (!closed && probes > 0) {
                Thread.onSpinWait();
            }
            probes++;
            int together = meet(inside);
            closed = true;
            return together;
        }

        @Actor
        public void one(II_Result result) {
            result.r1 = call();
        }

        @Actor
        public void other(II_Result result) {
            result.r2 = call();
        }
    }
}
