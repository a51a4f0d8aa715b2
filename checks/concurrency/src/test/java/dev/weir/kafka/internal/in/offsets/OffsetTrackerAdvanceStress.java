package dev.weir.kafka.internal.in.offsets;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads acknowledge two records while the owner thread advances the offset to commit. The first record has two
 * pending acknowledgements. The offset passes only finished records.
 */
@JCStressTest
@Outcome(
        id = {"10, 12", "11, 12", "12, 12"},
        expect = Expect.ACCEPTABLE,
        desc = "a finished prefix, then everything")
@Outcome(expect = Expect.FORBIDDEN, desc = "a claim was lost")
@State
public class OffsetTrackerAdvanceStress {

    private final OffsetTracker tracker = new OffsetTracker(4, () -> {});
    private final long first = tracker.append(10, 1);
    private final long second = tracker.append(11, 1);

    public OffsetTrackerAdvanceStress() {
        tracker.retain(first, 1);
    }

    @Actor
    public void one() {
        tracker.ack(first);
        tracker.ack(second);
    }

    @Actor
    public void other() {
        tracker.ack(first);
    }

    @Actor
    public void owner(II_Result result) {
        int passed = tracker.advance();
        result.r1 = (int) tracker.committableOffset();
        if (result.r1 != 10 + passed) {
            result.r1 = -1;
        }
    }

    @Arbiter
    public void after(II_Result result) {
        tracker.advance();
        result.r2 = (int) tracker.committableOffset();
    }

    /** Faulty: reads and writes the number of acknowledgements in two steps. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "finished")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a claim was lost")
    @State
    public static class Broken {

        private volatile int claims = 2;

        @Actor
        public void one() {
            int before = claims;
            claims = before - 1;
        }

        @Actor
        public void other() {
            int before = claims;
            claims = before - 1;
        }

        @Arbiter
        public void after(II_Result result) {
            result.r2 = claims;
        }
    }
}
