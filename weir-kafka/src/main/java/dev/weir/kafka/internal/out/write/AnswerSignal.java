package dev.weir.kafka.internal.out.write;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Wakes the one thread that waits until a message is answered. Its other methods are for any thread. */
final class AnswerSignal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Clock clock;

    // Under the lock.
    private boolean woken;

    /** Written by the waiting thread. */
    private volatile @Nullable MessageInFlight<?, ?, ?> awaited;

    AnswerSignal(Clock clock) {
        this.clock = clock;
    }

    /** Returns when it is answered, at {@link #wake}, or when the deadline has come. */
    void await(MessageInFlight<?, ?, ?> message, long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            // Before the look: either that sees the answer, or who answers sees this.
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

    /** Something else has to be looked at. Ends the wait, or the next one. */
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
