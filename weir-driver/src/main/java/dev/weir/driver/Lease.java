package dev.weir.driver;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends this process when nothing was heard from the harness for a while. Thread-safe. On one machine the end of the
 * standard input tells that; over a network that was cut, nothing would.
 */
final class Lease {
    /** System property: after how many seconds; without it, there is no lease. */
    static final String SECONDS = "weir.driver.lease.seconds";

    private final long nanos;
    private volatile long heardNanos = System.nanoTime();

    private Lease(long nanos) {
        this.nanos = nanos;
    }

    /** The lease of this process, which watches from now on if it is limited. */
    static Lease ofProcess() {
        long seconds = Long.getLong(SECONDS, 0);
        Lease lease = new Lease(TimeUnit.SECONDS.toNanos(seconds));
        if (seconds > 0) {
            Thread.ofPlatform().daemon().name("weir-lease").start(lease::watch);
        }
        return lease;
    }

    /** Something was heard. */
    void renew() {
        heardNanos = System.nanoTime();
    }

    private void watch() {
        long left = nanos;
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = heardNanos + nanos - System.nanoTime();
        }
        System.err.println("nothing was heard from the harness for " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s");
        Runtime.getRuntime().halt(3);
    }
}
