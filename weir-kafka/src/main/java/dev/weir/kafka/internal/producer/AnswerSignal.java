package dev.weir.kafka.internal.producer;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Wakes the one thread that waits until a message is answered. {@link #answered} is for any thread. */
final class AnswerSignal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Clock clock;

    /** Written by the waiting thread. */
    private volatile @Nullable InHand<?, ?, ?> awaited;

    AnswerSignal(Clock clock) {
        this.clock = clock;
    }

    /** Returns when it is answered or the deadline has come. */
    void await(InHand<?, ?, ?> message, long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            // Before the look: either that sees the answer, or who answers sees this.
            awaited = message;
            while (!message.isAnswered() && !clock.hasPassed(deadlineNanos)) {
                clock.await(lock, changed, deadlineNanos);
            }
        } finally {
            awaited = null;
            lock.unlock();
        }
    }

    void answered(InHand<?, ?, ?> message) {
        if (awaited == message) {
            lock.lock();
            try {
                changed.signal();
            } finally {
                lock.unlock();
            }
        }
    }
}
