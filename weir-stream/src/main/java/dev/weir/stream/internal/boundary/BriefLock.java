package dev.weir.stream.internal.boundary;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes locks that are held for less time than it takes to put a thread to sleep and wake it. Stateless.
 *
 * <p>Both ends of a queue want its lock at about the same time: whoever wakes the other end holds it, and the end that
 * is woken takes it at once. A thread that slept for that would be back some 20 us later.
 */
public final class BriefLock {

    /** Looks at a lock that is held, some nanoseconds each; none where the holder could not go on meanwhile. */
    private static final int LOOKS = Runtime.getRuntime().availableProcessors() == 1 ? 0 : 100;

    private BriefLock() {}

    /** Takes the lock, as {@link ReentrantLock#lock}. */
    public static void lock(ReentrantLock lock) {
        if (!takeSoon(lock)) {
            lock.lock();
        }
    }

    /** Takes the lock, as {@link ReentrantLock#lockInterruptibly}. */
    public static void lockInterruptibly(ReentrantLock lock) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!takeSoon(lock)) {
            lock.lockInterruptibly();
        }
    }

    private static boolean takeSoon(ReentrantLock lock) {
        for (int i = 0; i < LOOKS; i++) {
            if (!lock.isLocked() && lock.tryLock()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }
}
