package dev.weir.driver;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends this process when it has received nothing from the harness for a set time. If the network to another machine
 * breaks, the end of the input never arrives. Thread-safe.
 */
final class Lease {
    /** System property: the time limit in seconds. Without it, there is no lease. */
    static final String SECONDS = "weir.driver.lease.seconds";

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long seconds;
    private volatile boolean isHeard;

    private Lease(long seconds) {
        this.seconds = seconds;
    }

    /** Returns the lease of this process, and watches it if there is a time limit. */
    static Lease ofProcess() {
        Lease lease = new Lease(Long.getLong(SECONDS, 0));
        if (lease.seconds > 0) {
            Thread.ofPlatform().daemon().name("weir-lease").start(lease::watch);
        }
        return lease;
    }

    /** Renews the lease. Call it after each message. */
    void renew() {
        isHeard = true;
    }

    /** Watches the lease. Counts only seconds in which this process runs, so a halt does not end the lease. */
    private void watch() {
        for (long silent = 0; silent < seconds; silent++) {
            LockSupport.parkNanos(SECOND_NANOS);
            if (isHeard) {
                isHeard = false;
                silent = -1;
            }
        }
        System.err.println("nothing was heard from the harness for " + seconds + " s");
        Runtime.getRuntime().halt(3);
    }
}
