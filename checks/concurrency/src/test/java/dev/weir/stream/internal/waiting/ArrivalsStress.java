package dev.weir.stream.internal.waiting;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two items arrive at a thread that spins before it parks. Both are taken, whenever they arrive. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both taken")
@Outcome(expect = Expect.FORBIDDEN, desc = "a call was lost")
@State
public class ArrivalsStress {

    /** The maximum wait of a take. After a longer wait, a wake-up counts as lost. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrivalWaits arrivals = new ArrivalWaits(lock);
    private final WaitHabit habit = quick();
    private int there;

    /** Returns the wait habit of a thread with only short waits so far. */
    private static WaitHabit quick() {
        WaitHabit habit = new WaitHabit();
        for (int n = 0; n < 60; n++) {
            habit.parked(0);
        }
        return habit;
    }

    private void bring() {
        lock.lock();
        try {
            there++;
            boolean ignored = arrivals.call();
        } finally {
            lock.unlock();
        }
    }

    @Actor
    public void bringer() {
        bring();
        bring();
    }

    @Actor
    public void taker(I_Result result) {
        long untilNanos = System.nanoTime() + PATIENCE_NANOS;
        lock.lock();
        try {
            while (result.r1 < 2 && !Clock.SYSTEM.hasPassed(untilNanos)) {
                if (there > 0) {
                    there--;
                    result.r1++;
                } else {
                    arrivals.await(Clock.SYSTEM, untilNanos, habit, null);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            lock.unlock();
        }
    }

    /** Faulty: waking a spinning thread only sets a flag. The thread parks without checking the flag again. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both taken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a call was lost")
    @State
    public static class Broken {

        private static final long SHORT_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition called = lock.newCondition();
        private int there;
        private boolean staying;
        private volatile boolean news;

        private void bring() {
            lock.lock();
            try {
                there++;
                if (staying) {
                    news = true;
                } else {
                    called.signal();
                }
            } finally {
                lock.unlock();
            }
        }

        @Actor
        public void bringer() {
            bring();
            bring();
        }

        @SuppressWarnings({"LockNotBeforeTry", "WaitNotInLoop"}) // the planted fault
        @Actor
        public void taker(I_Result result) {
            lock.lock();
            try {
                while (result.r1 < 2) {
                    if (there > 0) {
                        there--;
                        result.r1++;
                        continue;
                    }
                    news = false;
                    staying = true;
                    lock.unlock();
                    boolean came = false;
                    for (int n = 0; n < 3 && !came; n++) {
                        came = news;
                        Thread.onSpinWait();
                    }
                    lock.lock();
                    staying = false;
                    if (!came && called.awaitNanos(SHORT_PATIENCE_NANOS) <= 0) {
                        return;
                    }
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                lock.unlock();
            }
        }
    }
}
