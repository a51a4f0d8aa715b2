package dev.weir.stream.internal.waiting;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads wait for elements that other threads add while holding a lock. A waiting thread first spins for a
 * moment, if its {@link WaitHabit} allows it, and then parks. Guarded by the lock passed to the constructor, except for
 * {@link #enter} and {@link #enterInterruptibly}.
 *
 * <p>A wait may return early, as with a {@link Condition}, so the caller must check its condition again.
 */
public final class ArrivalWaits {
    /*
     * No wake-up is lost, because every change and every decision to wait is made while holding the lock.
     *
     *   await: holds the lock, no element --> staying + 1, unlock, check `news`, lock, staying - 1 --> check again
     *                                     or parked + 1, condition (unlocks), lock, parked - 1 --> check again
     *   call:  holds the lock, after the change: news = true if a thread is staying; signal if a thread is parked
     *
     * `staying` is the number of threads that spin. `news` is only a hint that makes them stop spinning early. An
     * outdated hint costs only an additional check.
     */

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    /** Maximum number of threads in the JVM that spin at once; 0 with a single processor. */
    private static final int MOST_STAYING = PROCESSORS / 2;

    private static final AtomicInteger ALL_STAYING = new AtomicInteger();

    /** Number of checks of `news` between two readings of the clock. */
    private static final int LOOKS = 16;

    /** Number of attempts to take a briefly held lock before queuing for it. */
    private static final int TRIES = PROCESSORS > 1 ? 64 : 0;

    private final ReentrantLock lock;
    private final Condition called;

    // Guarded by the lock.
    private int staying;
    private int parked;

    /** Number of parked threads whose waits are measured. */
    private int measured;

    /** Time of the first {@link #call} or {@link #callAll} since {@link #measured} last rose from 0. */
    private long calledNanos = System.nanoTime();

    /** True if {@code calledNanos} is set since {@link #measured} last rose from 0. */
    private boolean isCallNoted;

    /** Written only while holding the lock; read without it. */
    private volatile boolean news;

    public ArrivalWaits(ReentrantLock lock) {
        this.lock = lock;
        this.called = lock.newCondition();
    }

    /** Takes a lock that is held only briefly, spinning for a few attempts if necessary. */
    public static void enter(ReentrantLock lock) {
        if (!tryFewTimes(lock)) {
            lock.lock();
        }
    }

    /** Takes the lock like {@link #enter}. Throws if the thread is interrupted before or during the call. */
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
     * Waits until {@link #call}, {@link #callAll} or the deadline; may return early. The caller must hold the lock,
     * which is released during the wait.
     *
     * @param habit the calling thread's habit, or null to park without spinning
     * @param bringer the habit of the thread that adds elements, if known; while it is parked, this method does not
     *     spin
     */
    public void await(Clock clock, long deadlineNanos, @Nullable WaitHabit habit, @Nullable WaitHabit bringer)
            throws InterruptedException {
        // A test's clock advances only once all threads are parked, so threads must not spin.
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
            // Threads that call `call` or `callAll` hold the lock only briefly.
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
     * Makes one waiting thread check its condition again. Called with the lock held, after the condition has changed.
     *
     * @return whether a parked thread was woken; it now needs a processor, see {@link WaitHabit#wokeAnother}
     */
    public boolean call() {
        tellStaying();
        boolean isParked = noteCall();
        if (isParked) {
            called.signal();
        }
        return isParked;
    }

    /** Makes all waiting threads check their condition again. Called with the lock held, after a change. */
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

    /** Records a call, and returns whether a thread is parked. */
    private boolean noteCall() {
        if (measured > 0 && !isCallNoted) {
            isCallNoted = true;
            calledNanos = System.nanoTime();
        }
        return parked > 0;
    }
}
