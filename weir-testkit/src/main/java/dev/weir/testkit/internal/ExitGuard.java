package dev.weir.testkit.internal;

import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.utils.internals.Exit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this JVM alive while brokers run in it. A server that tries to terminate the process gets an exception instead.
 * Thread-safe.
 */
final class ExitGuard {
    private static final ReentrantLock LOCK = new ReentrantLock();

    // Guarded by the lock.
    private static int holders;

    private ExitGuard() {}

    static void acquire() {
        LOCK.lock();
        try {
            if (holders++ == 0) {
                Exit.setExitProcedure(ExitGuard::refuse);
                Exit.setHaltProcedure(ExitGuard::refuse);
            }
        } finally {
            LOCK.unlock();
        }
    }

    static void release() {
        LOCK.lock();
        try {
            if (--holders == 0) {
                Exit.resetExitProcedure();
                Exit.resetHaltProcedure();
            }
        } finally {
            LOCK.unlock();
        }
    }

    private static void refuse(int status, @Nullable String message) {
        throw new IllegalStateException("an in-process broker asked its JVM to exit: status=" + status
                + (message == null ? "" : " message=" + message) + "; its log says why");
    }
}
