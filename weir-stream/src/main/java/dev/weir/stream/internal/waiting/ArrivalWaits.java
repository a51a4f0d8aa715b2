package dev.weir.stream.internal.waiting;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads wait for what others bring under a lock: on the processor for a moment if their {@link WaitHabit} says
 * so, then parked. Guarded by the lock of its owner, but for {@link #enter} and {@link #enterInterruptibly}.
 *
 * <p>Like a condition it may end a wait early: the caller asks again for what it waits for, under the lock.
 */
public final class ArrivalWaits {
    /*
     * A wake-up is not lost, as every change is made under the lock, and so is every decision to wait.
     *
     *   await: lock held, nothing there --> staying + 1, unlock, look at `news`, lock, staying - 1 --> asks again
     *                                   or parked + 1, condition (unlocks), lock, parked - 1 --> asks again
     *   call:  lock held, after the change: news = true if somebody stays; signal if somebody is parked
     *
     * `news` is a hint that ends a stay soon: a stay ends without it as well, and parks only after the caller has asked
     * again. Several may stay: the first that does clears it, and an old hint costs the others a look.
     */

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    /** The number of threads of the JVM stay at a time at most; none where there is one processor. */
    private static final int MOST_STAYING = PROCESSORS / 2;

    private static final AtomicInteger ALL_STAYING = new AtomicInteger();

    /** Looks at the hint between two looks at the time. */
    private static final int LOOKS = 16;

    /** Tries for a lock that another has taken for a few instructions, before the thread queues for it. */
    private static final int TRIES = PROCESSORS > 1 ? 64 : 0;

    private final ReentrantLock lock;
    private final Condition called;

    // Under the lock.
    private int staying;
    private int parked;

    /** Number of parked threads whose wait is measured. */
    private int measured;

    /** The time when the first call came in the measured waits that go on. */
    private long calledNanos = System.nanoTime();

    /** True if it has come. */
    private boolean isCallNoted;

    /** Written under the lock, read without. */
    private volatile boolean news;

    public ArrivalWaits(ReentrantLock lock) {
        this.lock = lock;
        this.called = lock.newCondition();
    }

    /** Takes a lock that is never held for long, if need be after a few tries on the processor. */
    public static void enter(ReentrantLock lock) {
        if (!tryFewTimes(lock)) {
            lock.lock();
        }
    }

    /** The same; an interrupt that there is or that comes while it queues is thrown. */
    public static void enterInterruptibly(ReentrantLock lock) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!tryFewTimes(lock)) {
            lock.lockInterruptibly();
        }
    }

    private static boolean tryFewTimes(ReentrantLock lock) {
        boolean taken = lock.tryLock();
        for (int n = 0; !taken && n < TRIES; n++) {
            Thread.onSpinWait();
            taken = lock.tryLock();
        }
        return taken;
    }

    /**
     * Under the lock, which it gives up meanwhile: waits for a call or until the deadline. May return early.
     *
     * @param habit of the calling thread, or null if it has none: then it parks at once
     * @param bringer of the thread that is waited for, if one is known: while it is parked, nothing comes in a moment
     */
    public void await(Clock clock, long deadlineNanos, @Nullable WaitHabit habit, @Nullable WaitHabit bringer)
            throws InterruptedException {
        // By a clock that a test moves, a thread is at rest only once it is parked.
        if (habit == null || clock != Clock.SYSTEM) {
            park(clock, deadlineNanos);
            return;
        }
        boolean isOthersTurn = habit.isOthersTurn();
        if (isOthersTurn || (bringer != null && bringer.isParked())) {
            park(deadlineNanos, habit);
            return;
        }
        long startNanos = System.nanoTime();
        boolean isSoonOver = deadlineNanos != Stage.NEVER && deadlineNanos - startNanos <= WaitHabit.STAY_NANOS;
        if (!isSoonOver && habit.isToStay() && beginStaying()) {
            stay(startNanos, habit);
            return;
        }
        if (measured++ == 0) {
            isCallNoted = false;
        }
        try {
            park(deadlineNanos, habit);
        } finally {
            measured--;
        }
        boolean isCalled = isCallNoted && calledNanos - startNanos >= 0;
        habit.parked((isCalled ? calledNanos : System.nanoTime()) - startNanos);
    }

    private void park(long deadlineNanos, WaitHabit habit) throws InterruptedException {
        habit.park(true);
        try {
            park(Clock.SYSTEM, deadlineNanos);
        } finally {
            habit.park(false);
        }
    }

    private void park(Clock clock, long deadlineNanos) throws InterruptedException {
        parked++;
        try {
            clock.await(lock, called, deadlineNanos);
        } finally {
            parked--;
        }
    }

    private static boolean beginStaying() {
        if (ALL_STAYING.get() >= MOST_STAYING) {
            return false;
        }
        if (ALL_STAYING.incrementAndGet() > MOST_STAYING) {
            int ignored = ALL_STAYING.decrementAndGet();
            return false;
        }
        return true;
    }

    private void stay(long startNanos, WaitHabit habit) {
        if (staying++ == 0) {
            news = false;
        }
        lock.unlock();
        try {
            lookForNews(startNanos + WaitHabit.STAY_NANOS);
        } finally {
            int ignored = ALL_STAYING.decrementAndGet();
            // Whoever brought something is about to let go of it.
            enter(lock);
            staying--;
        }
        if (news) {
            habit.stayed(System.nanoTime() - startNanos);
        } else {
            habit.stayedInVain();
        }
    }

    private void lookForNews(long untilNanos) {
        do {
            for (int n = 0; n < LOOKS; n++) {
                if (news) {
                    return;
                }
                Thread.onSpinWait();
            }
        } while (System.nanoTime() - untilNanos < 0);
    }

    /**
     * Under the lock, after the change: has one that waits look again.
     *
     * @return whether a thread was woken, which now wants a processor
     */
    public boolean call() {
        tellStaying();
        boolean isParked = noteCall();
        if (isParked) {
            called.signal();
        }
        return isParked;
    }

    /** Under the lock, after the change: has all that wait look again. */
    public void callAll() {
        tellStaying();
        if (noteCall()) {
            called.signalAll();
        }
    }

    private void tellStaying() {
        if (staying > 0) {
            news = true;
        }
    }

    /** Returns whether somebody is parked. */
    private boolean noteCall() {
        if (measured > 0 && !isCallNoted) {
            isCallNoted = true;
            calledNanos = System.nanoTime();
        }
        return parked > 0;
    }
}
