package dev.weir.testkit.internal;

import org.apache.kafka.common.utils.internals.Exit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this JVM alive while brokers run in it: the server ends its process on a fatal fault, which here becomes an
 * exception in the thread that asked. Thread-safe.
 */
final class ExitGuard {
    private static int holders;

    private ExitGuard() {}

    static synchronized void acquire() {
        if (holders++ == 0) {
            Exit.setExitProcedure(ExitGuard::refuse);
            Exit.setHaltProcedure(ExitGuard::refuse);
        }
    }

    static synchronized void release() {
        if (--holders == 0) {
            Exit.resetExitProcedure();
            Exit.resetHaltProcedure();
        }
    }

    private static void refuse(int status, @Nullable String message) {
        throw new IllegalStateException("an in-process broker asked its JVM to exit: status=" + status
                + (message == null ? "" : " message=" + message) + "; its log says why");
    }
}
