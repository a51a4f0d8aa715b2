package dev.weir.stream.spi;

import java.util.Arrays;

/**
 * Detects threads that wait in {@link Runtime#exit} for the JVM to terminate. Such a thread never returns, so a
 * shutdown hook must not wait for it. Thread-safe.
 */
public final class JvmExit {

    private JvmExit() {}

    /** Returns whether the JVM is shutting down. */
    public static boolean isUnderWay() {
        Thread probe = Thread.ofPlatform().unstarted(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            return !Runtime.getRuntime().removeShutdownHook(probe);
        } catch (IllegalStateException shuttingDown) {
            return true;
        }
    }

    /** Returns whether the JVM is shutting down and {@code thread} has called exit, which never returns. */
    public static boolean isExiting(Thread thread) {
        return isUnderWay() && isCalledBy(thread);
    }

    /** Returns whether {@code thread} has called {@link System#exit} or {@link Runtime#exit}. */
    public static boolean isCalledBy(Thread thread) {
        return Arrays.stream(thread.getStackTrace()).anyMatch(JvmExit::isExit);
    }

    private static boolean isExit(StackTraceElement frame) {
        return frame.getMethodName().equals("exit") && frame.getClassName().equals("java.lang.Runtime");
    }
}
