package dev.weir.testkit.internal.disk;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The present fault of this JVM's log directory. Thread-safe. */
public final class DiskFaults {
    /** The system property that names the directory. */
    public static final String DIRECTORY = "weir.testkit.disk";

    /** The order for a disk that is full. */
    public static final String FULL = "disk full";

    /** The order for a slow disk, before the nanoseconds that each write and flush takes longer. */
    public static final String SLOW = "disk slow ";

    /** The order for a disk without a fault. */
    public static final String SOUND = "disk sound";

    private static volatile boolean full;
    private static volatile long delayNanos;

    private DiskFaults() {}

    /** Obeys an order of the broker's owner; ignores any other text. */
    public static void obey(String order) {
        full = order.equals(FULL);
        delayNanos = order.startsWith(SLOW) ? Long.parseLong(order.substring(SLOW.length())) : 0;
    }

    /**
     * To be called before a write that ends at this position.
     *
     * @param size of the file before
     * @throws IOException as of a device without space, if the disk is full and the file would grow
     */
    static void beforeWrite(long endPosition, long size) throws IOException {
        delay();
        if (full && endPosition > size) {
            throw new IOException("No space left on device");
        }
    }

    /** To be called before a flush. */
    static void delay() {
        long nanos = delayNanos;
        long deadlineNanos = System.nanoTime() + nanos;
        while (nanos > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(Math.min(nanos, TimeUnit.SECONDS.toNanos(1)));
            nanos = deadlineNanos - System.nanoTime();
        }
    }
}
