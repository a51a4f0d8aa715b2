package dev.weir.kafka.internal.in.offsets;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The owner thread starts to watch the only unfinished record while it is acknowledged. The watch is refused, or the
 * callback runs.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "finished before the watch")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "both noticed")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "watched, then called")
@Outcome(expect = Expect.FORBIDDEN, desc = "a wake-up was lost")
@State
public class OffsetTrackerWatchStress {

    private final AtomicInteger calls = new AtomicInteger();
    private final OffsetTracker tracker = new OffsetTracker(4, calls::incrementAndGet);
    private final long token = tracker.append(7, 1);

    @Actor
    public void owner(II_Result result) {
        result.r1 = tracker.watch(0, 0) ? 1 : 0;
    }

    @Actor
    public void acknowledger() {
        tracker.ack(token);
    }

    @Arbiter
    public void after(II_Result result) {
        result.r2 = calls.get();
    }

    /** A record with two holders. The last one to end must run the owner thread's callback. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "finished before the watch")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "both noticed")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "watched, then called once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a wake-up was lost, or a claim")
    @State
    public static class TwoClaims {

        private final AtomicInteger calls = new AtomicInteger();
        private final OffsetTracker tracker = new OffsetTracker(4, calls::incrementAndGet);
        private final long token = tracker.append(7, 1);

        public TwoClaims() {
            tracker.retain(token, 1);
        }

        @Actor
        public void owner(II_Result result) {
            result.r1 = tracker.watch(0, 0) ? 1 : 0;
        }

        @Actor
        public void one() {
            tracker.ack(token);
        }

        @Actor
        public void other() {
            tracker.ack(token);
        }

        @Arbiter
        public void after(II_Result result) {
            boolean finished = tracker.advance() == 1;
            result.r2 = finished ? calls.get() : -1;
        }
    }

    /** Faulty: checks the count before announcing the watched record. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "finished before the watch")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "both noticed")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "watched, then called")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a wake-up was lost")
    @State
    public static class Broken {

        private final AtomicInteger claims = new AtomicInteger(1);
        private final AtomicInteger calls = new AtomicInteger();
        private volatile boolean watched;

        @Actor
        public void owner(II_Result result) {
            boolean unfinished = claims.get() != 0;
            watched = true;
            result.r1 = unfinished ? 1 : 0;
        }

        @Actor
        public void acknowledger() {
            if (claims.decrementAndGet() == 0 && watched) {
                calls.incrementAndGet();
            }
        }

        @Arbiter
        public void after(II_Result result) {
            result.r2 = calls.get();
        }
    }
}
