package dev.weir.kafka.internal.in.offsets;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A partition is revoked while work on one of its records begins. The record is either dropped or finished. If the
 * owner thread waits, its callback runs.
 */
@JCStressTest
@Outcome(
        id = {"0, 0, 1", "0, 1, 1", "1, 1, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "finished")
@Outcome(
        id = {"0, 0, 0", "0, 1, 0", "1, 1, 0"},
        expect = Expect.ACCEPTABLE,
        desc = "dropped")
@Outcome(expect = Expect.FORBIDDEN, desc = "a wake-up was lost, or a record that was dropped counts as finished")
@State
public class OffsetTrackerRevokeStress {

    private final AtomicInteger calls = new AtomicInteger();
    private final OffsetTracker tracker = new OffsetTracker(4, calls::incrementAndGet);
    private final long token = tracker.append(7, 1);
    private volatile boolean dropped;

    @Actor
    public void owner(III_Result result) {
        tracker.revoke();
        result.r1 = tracker.watchUnsettled() ? 1 : 0;
    }

    @Actor
    public void lane() {
        if (tracker.dropIfRevoked(token)) {
            dropped = true;
        } else {
            tracker.ack(token);
        }
    }

    @Arbiter
    public void after(III_Result result) {
        result.r2 = calls.get();
        result.r3 = tracker.advance();
        if (result.r3 != (dropped ? 0 : 1) || tracker.watchUnsettled()) {
            result.r3 = -1;
        }
    }

    /** One record has two holders. One acknowledges it, and the other drops it. Neither change is lost. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "settled, and not finished")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a claim was lost, or a part that was dropped counts as finished")
    @State
    public static class TwoClaims {

        private final OffsetTracker tracker = new OffsetTracker(4, () -> {});
        private final long token = tracker.append(7, 1);

        public TwoClaims() {
            tracker.retain(token, 1);
            tracker.revoke();
        }

        @Actor
        public void one() {
            tracker.ack(token);
        }

        @Actor
        public void other() {
            boolean ignored = tracker.dropIfRevoked(token);
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = tracker.watchUnsettled() ? 1 : 0;
            result.r2 = tracker.advance();
        }
    }

    /** Faulty: decrements the count in two steps. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "settled, and not finished")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a claim was lost, or a part that was dropped counts as finished")
    @State
    public static class Broken {

        private static final int DROPPED = 1 << 30;

        private final AtomicInteger claims = new AtomicInteger(2);

        @Actor
        public void one() {
            claims.decrementAndGet();
        }

        @Actor
        public void other() {
            int before = claims.get();
            claims.set(((before & ~DROPPED) - 1) | DROPPED);
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = claims.get() & ~DROPPED;
            result.r2 = claims.get() == 0 ? 1 : 0;
        }
    }
}
