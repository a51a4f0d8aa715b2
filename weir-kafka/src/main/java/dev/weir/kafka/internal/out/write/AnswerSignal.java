package dev.weir.kafka.internal.out.write;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Wakes the one thread that waits until a message is answered. Any thread may call its other methods. */
final class AnswerSignal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Clock clock;

    // Guarded by the lock.
    private boolean woken;

    /** Written by the waiting thread. */
    private volatile @Nullable MessageInFlight<?, ?, ?> awaited;

    AnswerSignal(Clock clock) {
        this.clock = clock;
    }

    /** Returns when the message is answered, on {@link #wake}, or at the deadline. */
    void await(MessageInFlight<?, ?, ?> message, long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            // Set before the check: either the check sees the answer, or the answering thread sees this.
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

    /** Ends the current wait or the next one, because something else must be checked. */
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
