package dev.weir.stream.internal.interop;

import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.Flow;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two subscribers request elements on their own threads while the loop distributes elements. Both get all elements, and
 * no request is lost.
 */
@JCStressTest
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "both batches, and an end for both")
@Outcome(expect = Expect.FORBIDDEN, desc = "an element, a request or an end was lost")
@State
public class FanoutStress {

    private final PendingCount claims = new PendingCount();
    private final FanoutSink<Integer> fanout = new FanoutSink<>();
    private final Subscriber one = new Subscriber();
    private final Subscriber other = new Subscriber();

    public FanoutStress() {
        fanout.subscribe(one);
        fanout.subscribe(other);
    }

    @Actor
    public void loop() {
        handOut(fanout, claims);
    }

    @Actor
    public void first() {
        one.askTwice();
    }

    @Actor
    public void second() {
        other.askTwice();
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = claims.open() == 0 && one.seen == 2 && other.seen == 2 ? claims.acks() : -1;
        result.r2 = one.ends + other.ends;
    }

    private static void handOut(FanoutSink<Integer> fanout, PendingCount claims) {
        try {
            fanout.loop(new Context()).run(new TwoBatches(claims));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static final class TwoBatches implements Stage<Integer> {

        private final PendingCount claims;
        private int pulled;

        TwoBatches(PendingCount claims) {
            this.claims = claims;
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            return pulled++ < 2 ? claims.batch(1) : null;
        }

        @Override
        public void close() {}
    }

    /** Written by the loop's thread. */
    private static final class Subscriber implements Flow.Subscriber<Integer> {

        private Flow.@Nullable Subscription subscription;
        private int seen;
        private int ends;

        void askTwice() {
            Flow.Subscription to = subscription;
            if (to != null) {
                to.request(1);
                to.request(1);
            }
        }

        @Override
        public void onSubscribe(Flow.Subscription offered) {
            subscription = offered;
        }

        @Override
        public void onNext(Integer item) {
            seen++;
        }

        @Override
        public void onError(Throwable failure) {
            throw new AssertionError(failure);
        }

        @Override
        public void onComplete() {
            ends++;
        }
    }

    private static final class Context implements StageContext {

        private final StageMeter meter = new StageMeter();

        @Override
        public String pipelineName() {
            return "stress";
        }

        @Override
        public String stageName() {
            return "fanout";
        }

        @Override
        public StageMeter meter() {
            return meter;
        }

        @Override
        public void depth(IntSupplier elements) {}

        @Override
        public void onStop(Runnable stop) {}

        @Override
        public void onTermination(Termination termination) {}

        @Override
        public void expose(Object handle) {}

        @Override
        public void fail(Throwable cause) {
            throw new AssertionError(cause);
        }
    }

    /**
     * A second subscriber arrives while the loop is running, before the first one requests elements. Both get the same
     * elements.
     */
    @JCStressTest
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "both batches for both")
    @Outcome(expect = Expect.FORBIDDEN, desc = "somebody who was there before the first request missed an element")
    @State
    public static class Newcomer {

        private final PendingCount claims = new PendingCount();
        private final FanoutSink<Integer> fanout = new FanoutSink<>();
        private final Subscriber one = new Subscriber();
        private final Subscriber other = new Subscriber();

        public Newcomer() {
            fanout.subscribe(one);
        }

        @Actor
        public void loop() {
            handOut(fanout, claims);
        }

        @Actor
        public void subscriber() {
            fanout.subscribe(other);
            one.askTwice();
            other.askTwice();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = one.seen;
            result.r2 = other.seen;
        }
    }

    /** Faulty: adds up requests without a lock. */
    @JCStressTest
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "both")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a request was lost")
    @State
    public static class Broken {

        private volatile int requested;

        @SuppressWarnings("NonAtomicVolatileUpdate") // the planted fault
        @Actor
        public void first() {
            requested = requested + 1;
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // the planted fault
        @Actor
        public void second() {
            requested = requested + 1;
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = requested;
            result.r2 = 2;
        }
    }
}
