package dev.weir.stream.internal.steering;

import java.util.List;

/** Kinds of waits of a stage's thread. */
public enum ThreadWait {
    /** The thread is running, or ready to run. */
    NONE,
    /** The thread is waiting in Weir's own code, for other threads of the run or for time to pass. */
    ENGINE,
    /** The thread is waiting for a lock, a semaphore or a monitor. */
    LOCK,
    /** The thread is waiting for a file or the network. */
    IO,
    SLEEP,
    /** The thread is waiting for something else, such as a response or a queue. */
    OTHER;

    /** Number of stack frames, from the top, that are searched for a wait. */
    private static final int FRAMES = 24;

    private static final List<String> IO_CODE =
            List.of("sun.nio.ch.", "java.net.", "sun.net.", "java.io.File", "java.lang.ProcessImpl");

    /** Weir's own code, in which threads wait for other threads of the run or for time to pass. */
    private static final List<String> ENGINE_CODE =
            List.of("dev.weir.stream.internal.", "dev.weir.kafka.internal.", "dev.weir.kafka.CircuitBreaker");

    /** A wait in the clock counts as a wait in the code that calls the clock. */
    private static final String CLOCK = "dev.weir.stream.spi.Clock";

    private static final List<String> LOCK_CODE = List.of(
            "java.util.concurrent.locks.ReentrantLock",
            "java.util.concurrent.locks.ReentrantReadWriteLock",
            "java.util.concurrent.locks.StampedLock",
            "java.util.concurrent.Semaphore");

    /** Returns the current wait of {@code thread}. Reads its stack, unless it is a running virtual thread. */
    public static ThreadWait of(Thread thread) {
        return switch (thread.getState()) {
            case NEW, TERMINATED -> NONE;
            case BLOCKED -> LOCK;
            // A platform thread that waits in a native call is reported as running.
            case RUNNABLE -> thread.isVirtual() || !isInNativeIo(thread.getStackTrace()) ? NONE : IO;
            case WAITING, TIMED_WAITING -> ofStack(thread.getStackTrace());
        };
    }

    private static boolean isInNativeIo(StackTraceElement[] stack) {
        return stack.length > 0 && stack[0].isNativeMethod() && isOf(IO_CODE, stack[0].getClassName());
    }

    static ThreadWait ofStack(StackTraceElement[] stack) {
        for (int i = 0; i < Math.min(stack.length, FRAMES); i++) {
            String type = stack[i].getClassName();
            if (type.equals("java.lang.Thread") && stack[i].getMethodName().startsWith("sleep")) {
                return isEngine(stack, i) ? ENGINE : SLEEP;
            }
            if (isOf(LOCK_CODE, type)) {
                return isEngine(stack, i) ? ENGINE : LOCK;
            }
            if (isOf(IO_CODE, type)) {
                return IO;
            }
            if (!isPassedOver(type)) {
                return isEngine(stack, i) ? ENGINE : OTHER;
            }
        }
        return OTHER;
    }

    /** Returns whether the nearest frame outside the JDK and the clock, from index {@code from} on, is Weir's own. */
    private static boolean isEngine(StackTraceElement[] stack, int from) {
        for (int i = from; i < stack.length; i++) {
            String type = stack[i].getClassName();
            if (!isPassedOver(type)) {
                return isOf(ENGINE_CODE, type);
            }
        }
        return false;
    }

    private static boolean isPassedOver(String type) {
        return type.startsWith("java.") || type.startsWith("jdk.") || type.startsWith("sun.") || type.startsWith(CLOCK);
    }

    private static boolean isOf(List<String> prefixes, String type) {
        return prefixes.stream().anyMatch(type::startsWith);
    }
}
