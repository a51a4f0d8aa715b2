package dev.weir.stream.internal.run;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A kill switch is triggered while the thread leaves the upstream stages. The downstream stages never see the
 * interrupt.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "0, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "the thread is clean, whether it noticed or not")
@Outcome(expect = Expect.FORBIDDEN, desc = "the interrupt reached the thread below the section")
@State
public class SectionStress {

    private final TaskSection section = new TaskSection();

    @Actor
    public void thread(II_Result result) {
        boolean before = Thread.interrupted();
        if (section.enter()) {
            TaskShieldStress.linger();
            result.r2 = section.exit() ? 1 : 0;
            TaskShieldStress.linger();
        }
        result.r1 = before || Thread.interrupted() ? 1 : 0;
    }

    @Actor
    public void switcher() {
        section.interrupt();
    }

    /** Faulty: leaves and interrupts without a lock. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "the thread is clean")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the interrupt reached the thread below the section")
    @State
    public static class Broken {

        private volatile @Nullable Thread inside;

        @Actor
        public void thread(II_Result result) {
            boolean before = Thread.interrupted();
            inside = Thread.currentThread();
            TaskShieldStress.linger();
            inside = null;
            boolean ignored = Thread.interrupted();
            TaskShieldStress.linger();
            result.r1 = before || Thread.interrupted() ? 1 : 0;
        }

        @Actor
        public void switcher() {
            Thread current = inside;
            if (current != null) {
                TaskShieldStress.linger();
                current.interrupt();
            }
        }
    }
}
