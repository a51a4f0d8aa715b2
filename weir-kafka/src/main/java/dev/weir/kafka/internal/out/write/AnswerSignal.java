package dev.weir.kafka.internal.out.write;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the thread that waits until a message is complete. Only that thread calls {@link #await}; any thread may call
 * the other methods.
 */
final class AnswerSignal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Clock clock;

    // Guarded by the lock
    private boolean woken;

    /** The message for which the thread waits. Written by the waiting thread. */
    private volatile @Nullable MessageInFlight<?, ?, ?> awaited;

    AnswerSignal(Clock clock) {
        this.clock = clock;
    }

    /** Returns when the message is complete, when {@link #wake} is called, or at the deadline. */
    void await(MessageInFlight<?, ?, ?> message, long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            // Set before the check, so that either the check sees the last outcome, or the thread that reports it sees
            // this field.
            awaited = message;
            while (!message.isAnswered() && !woken && !clock.hasPassed(deadlineNanos)) {
                clock.await(lock, changed, deadlineNanos);
            }
        } finally {
            awaited = null;
            woken = false;
            lock.unlock();
        }
    }

    void answered(MessageInFlight<?, ?, ?> message) {
        if (awaited == message) {
            lock.lock();
            try {
                changed.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Ends the current wait, or the next one if no thread is waiting, so that the waiting thread can check its other
     * conditions.
     */
    void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}
