package dev.weir.stream.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition in a probe, with a timeout measured by the system clock. Stateless. */
final class Probes {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private Probes() {}

    /**
     * Waits until {@code condition}, which is evaluated with {@code lock} held, is true. Fails after ten seconds with
     * the message from {@code otherwise}.
     */
    static void await(Lock lock, Condition changed, BooleanSupplier condition, Supplier<String> otherwise)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = PATIENCE_NANOS;
            while (!condition.getAsBoolean()) {
                if (left <= 0) {
                    throw new AssertionError(otherwise.get());
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
