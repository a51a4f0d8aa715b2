package dev.weir.kafka.internal.out.write;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the thread that waits until a message is complete. Only that thread calls {@link #await}; other methods are
 * thread-safe.
 */
final class AnswerSignal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Clock clock;

    // Guarded by the lock
    private boolean woken;

    /** The message for which a thread waits. Written by the waiting thread. */
    private volatile @Nullable MessageInFlight<?, ?, ?> awaited;

    AnswerSignal(Clock clock) {
        this.clock = clock;
    }

    void await(MessageInFlight<?, ?, ?> message, long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            // Set before the check: either the check sees the last outcome, or the reporting thread sees this field.
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

    /** Ends the current wait, or the next one if no thread is waiting. */
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
