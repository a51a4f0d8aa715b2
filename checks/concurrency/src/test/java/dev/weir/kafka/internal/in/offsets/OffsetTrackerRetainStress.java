package dev.weir.kafka.internal.in.offsets;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two records share a block of holder counts that does not exist yet. The holder of each record adds a pending
 * acknowledgement and ends one. Neither record is finished before its last acknowledgement.
 */
@JCStressTest
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "held by one claim each, then finished")
@Outcome(expect = Expect.FORBIDDEN, desc = "a claim was lost")
@State
public class OffsetTrackerRetainStress {

    private final OffsetTracker tracker = new OffsetTracker(4, () -> {});
    private final long first = tracker.append(10, 1);
    private final long second = tracker.append(11, 1);

    @Actor
    public void one() {
        tracker.retain(first, 1);
        tracker.ack(first);
    }

    @Actor
    public void other() {
        tracker.retain(second, 1);
        tracker.ack(second);
    }

    @Arbiter
    public void after(II_Result result) {
        result.r1 = tracker.finishedPast(0, FinishedSet.EMPTY).isEmpty() ? tracker.advance() : -1;
        tracker.ack(first);
        tracker.ack(second);
        result.r2 = tracker.advance();
    }

    /** Faulty: each thread may create the counts, and one block is lost. */
    @JCStressTest
    @Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "held by one claim each")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a claim was lost")
    @State
    public static class Broken {

        private volatile @Nullable AtomicIntegerArray extra;

        @Actor
        public void one() {
            retain(0);
        }

        @Actor
        public void other() {
            retain(1);
        }

        private void retain(int slot) {
            AtomicIntegerArray counts = extra;
            if (counts == null) {
                counts = new AtomicIntegerArray(2);
                extra = counts;
            }
            counts.incrementAndGet(slot);
        }

        @Arbiter
        public void after(II_Result result) {
            AtomicIntegerArray counts = extra;
            result.r2 = counts == null ? 0 : counts.get(0) + counts.get(1);
        }
    }
}
