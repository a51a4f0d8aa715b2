package dev.weir.lean.internal.threads;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads increment a counter that the lock guards. The later thread sees the earlier one's write. */
@JCStressTest
@Outcome(
        id = {"1, 2", "2, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "one after the other")
@Outcome(expect = Expect.FORBIDDEN, desc = "both held it at once, or one did not see what the other one did")
@State
public class ShortLockStress {

    private final ShortLock lock = new ShortLock();
    private int count;

    private int next() {
        lock.lock();
        try {
            return ++count;
        } finally {
            lock.unlock();
        }
    }

    @Actor
    public void one(II_Result result) {
        result.r1 = next();
    }

    @Actor
    public void other(II_Result result) {
        result.r2 = next();
    }

    /** Faulty: checks the lock and takes it in two steps. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one after the other")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both held it at once, or one did not see what the other one did")
    @State
    public static class Broken {

        private volatile boolean held;
        private int count;

        private int next() {
            while (held) {
                Thread.onSpinWait();
            }
            held = true;
            int now = ++count;
            held = false;
            return now;
        }

        @Actor
        public void one(II_Result result) {
            result.r1 = next();
        }

        @Actor
        public void other(II_Result result) {
            result.r2 = next();
        }
    }
}
