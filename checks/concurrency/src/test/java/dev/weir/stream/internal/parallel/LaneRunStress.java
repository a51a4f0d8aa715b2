package dev.weir.stream.internal.parallel;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** A lane works on a run of three while another thread takes back what has not begun: each is begun or given back. */
@JCStressTest
@Outcome(
        id = {"1, 2, 1", "2, 1, 2", "3, 0, 3"},
        expect = Expect.ACCEPTABLE,
        desc = "begun by the lane, given back, and an outcome for each that was begun")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot in both hands, or in none; or an outcome without its value")
@State
public class LaneRunStress {

    private static final int SLOTS = 3;

    private final LaneRun run = new LaneRun();
    private int settledByTheOther;

    /** The first slot is begun by taking the run. */
    public LaneRunStress() {
        run.clear(SLOTS);
        for (int slot = 0; slot < SLOTS; slot++) {
            run.add(slot);
        }
    }

    private int settle() {
        int settled = 0;
        for (int i = run.nextToSettle(); i >= 0; i = run.nextToSettle()) {
            settled += run.removeOutcome(i) instanceof Integer slot && slot == i ? 1 : 100;
        }
        return settled;
    }

    @Actor
    public void lane(III_Result result) {
        int index = 0;
        do {
            run.finish(index, run.slot(index));
            result.r1++;
            index = run.beginAfter(index);
        } while (index >= 0);
    }

    @Actor
    public void other(III_Result result) {
        result.r2 = run.size() - run.takeBack();
        settledByTheOther = settle();
    }

    /** What the lane does when it is back. */
    @Arbiter
    public void after(III_Result result) {
        int leftToGiveBack = run.size() - run.takeBack();
        result.r3 = settledByTheOther + settle() + 100 * leftToGiveBack;
    }

    /** Asks and then says, in two steps. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1", "3, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "begun by the lane, and given back")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a slot in both hands")
    @State
    public static class Broken {
        private volatile int begun = 1;

        @Actor
        public void lane(II_Result result) {
            result.r1 = 1;
            for (int next = begun; next < SLOTS; next = begun) {
                begun = next + 1;
                result.r1++;
            }
        }

        @Actor
        public void other(II_Result result) {
            int before = begun;
            begun = SLOTS;
            result.r2 = SLOTS - before;
        }
    }
}
