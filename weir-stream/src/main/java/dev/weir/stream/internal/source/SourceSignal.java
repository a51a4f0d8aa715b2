package dev.weir.stream.internal.source;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Lets a source's thread wait until a condition is true. Thread-safe: one thread may wait, and any thread may call
 * {@link #raise} to wake it.
 *
 * <p>The condition must be true before {@code raise} is called, and then stay true.
 */
final class SourceSignal {

    private final Clock clock;
    private final StageMeter meter;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition rung = lock.newCondition();

    SourceSignal(StageContext context) {
        this.clock = context.clock();
        this.meter = context.meter();
    }

    /** Waits until {@code news} returns true or the deadline has passed. Returns the last result of {@code news}. */
    boolean await(BooleanSupplier news, long deadlineNanos) throws InterruptedException {
        if (news.getAsBoolean()) {
            return true;
        }
        lock.lockInterruptibly();
        try {
            meter.beginBlockedUp();
            try {
                while (!news.getAsBoolean() && !clock.hasPassed(deadlineNanos)) {
                    clock.await(lock, rung, deadlineNanos);
                }
            } finally {
                meter.endBlockedUp();
            }
            return news.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    void raise() {
        lock.lock();
        try {
            rung.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
