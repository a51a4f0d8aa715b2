package dev.weir.stream;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Two pipelines offer elements while the consuming pipeline leaves. Elements that it has not pulled remain for the next
 * consumer.
 */
@JCStressTest
@Outcome(id = "11", expect = Expect.ACCEPTABLE, desc = "both, once each")
@Outcome(expect = Expect.FORBIDDEN, desc = "an element was lost or came twice")
@State
public class MergeHubStress {

    private static final StageMeter METER = new StageMeter();

    private final MergeHub<Integer> hub = MergeHub.create(1);
    private final Hub.Taker<Integer> first = hub.join(Clock.SYSTEM, METER);
    private int seen;

    private void bring(int value) {
        try {
            if (!hub.put(Batch.unacknowledged(new Object[] {value}, 1))) {
                throw new AssertionError("closed");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Actor
    public void one() {
        bring(1);
    }

    @Actor
    public void other() {
        bring(10);
    }

    /** At least one element is taken, to make room for the last one. */
    @Actor
    public void takers() {
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            Batch<Integer> batch = first.pull(deadline);
            if (batch != null && !batch.isEmpty()) {
                seen += batch.get(0);
            }
            first.close();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Arbiter
    public void arbiter(I_Result result) {
        try {
            Hub.Taker<Integer> next = hub.join(Clock.SYSTEM, METER);
            hub.close();
            Batch<Integer> batch;
            while ((batch = next.pull(0)) != null) {
                seen += batch.get(0);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        result.r1 = seen;
    }

    /** Faulty: does not guard the queue of offered elements. */
    @JCStressTest
    @Outcome(id = "11", expect = Expect.ACCEPTABLE, desc = "both, once each")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an element was lost or came twice")
    @State
    public static class Broken {

        private final ArrayDeque<Integer> inbox = new ArrayDeque<>();

        @Actor
        public void one() {
            inbox.add(1);
        }

        @Actor
        public void other() {
            inbox.add(10);
        }

        @Arbiter
        public void arbiter(I_Result result) {
            Integer value;
            while ((value = inbox.poll()) != null) {
                result.r1 += value;
            }
        }
    }
}
