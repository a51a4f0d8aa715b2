package dev.weir.testkit.internal.disk;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The current fault of the disk that holds this JVM's log directory. Thread-safe. */
public final class DiskFaults {
    /** The system property that names the log directory. */
    public static final String DIRECTORY = "weir.testkit.disk";

    /** The command that fills the disk. */
    public static final String FULL = "disk full";

    /** The command that slows the disk. It is followed by the nanoseconds added to each write and flush. */
    public static final String SLOW = "disk slow ";

    /** The command that ends the fault. */
    public static final String SOUND = "disk sound";

    private static volatile boolean full;
    private static volatile long delayNanos;

    private DiskFaults() {}

    /** Executes a command from the broker's parent process. Unknown commands end the current fault. */
    public static void obey(String order) {
        full = order.equals(FULL);
        delayNanos = order.startsWith(SLOW) ? Long.parseLong(order.substring(SLOW.length())) : 0;
    }

    /**
     * Applies the fault to a write. Must be called before the write.
     *
     * @param endPosition the position at which the write ends
     * @param size the file's size before the write
     * @throws IOException if the disk is full and the file would grow
     */
    static void beforeWrite(long endPosition, long size) throws IOException {
        delay();
        if (full && endPosition > size) {
            throw new IOException("No space left on device");
        }
    }

    /** Applies the delay to a write or flush. Must be called before the write or flush. */
    static void delay() {
        long nanos = delayNanos;
        long deadlineNanos = System.nanoTime() + nanos;
        while (nanos > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(Math.min(nanos, TimeUnit.SECONDS.toNanos(1)));
            nanos = deadlineNanos - System.nanoTime();
        }
    }
}
