package dev.weir.stream.internal.interop;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A publisher signals on its own thread while the pipeline takes elements and a third thread stops the stream. */
@JCStressTest
@Outcome(id = "(0|1|11|111), 1", expect = Expect.ACCEPTABLE, desc = "what came before the stop, then the end")
@Outcome(expect = Expect.FORBIDDEN, desc = "a gap, or no end")
@State
public class InboxStress {

    private static final StageMeter METER = new StageMeter();

    private final PublisherInbox<Integer> inbox = new PublisherInbox<>(4);

    @Actor
    public void publisher() {
        inbox.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long elements) {}

            @Override
            public void cancel() {}
        });
        inbox.onNext(1);
        inbox.onNext(10);
        inbox.onNext(100);
        inbox.onComplete();
    }

    @Actor
    public void stopping() {
        inbox.stop();
    }

    @Actor
    public void pipeline(II_Result result) {
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            Batch<Integer> batch;
            while ((batch = inbox.take(deadline, Clock.SYSTEM, METER)) != null) {
                if (batch.isEmpty()) {
                    return;
                }
                for (int i = 0; i < batch.size(); i++) {
                    result.r1 += batch.get(i);
                }
            }
            result.r2 = 1;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Faulty: does not guard the waiting elements. */
    @JCStressTest
    @Outcome(id = "111, 1", expect = Expect.ACCEPTABLE, desc = "all")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a gap, or no end")
    @State
    public static class Broken {

        private volatile int waiting;

        @SuppressWarnings("NonAtomicVolatileUpdate") // the planted fault
        @Actor
        public void publisher() {
            waiting = waiting + 1;
            waiting = waiting + 10;
            waiting = waiting + 100;
        }

        private int takeAll() {
            int taken = waiting;
            waiting = 0;
            return taken;
        }

        @Actor
        public void pipeline(II_Result result) {
            result.r1 = takeAll();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 += takeAll();
            result.r2 = 1;
        }
    }
}
