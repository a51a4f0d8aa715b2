package dev.weir.driver;

import java.util.concurrent.TimeUnit;

/**
 * The harness's clock, as estimated by this process. Planned records are due at times on this clock. Thread-safe. If
 * the harness and this process run on the same machine, both use {@link System#nanoTime}. Otherwise, the harness
 * measures the difference between the two clocks and repeatedly sends it with {@link Command.SetClock}.
 */
final class CampaignClock {
    /** System property for tests: sets this process's clock ahead, as if the process ran on another machine. */
    static final String AHEAD_MILLIS = "weir.driver.clock.ahead.millis";

    private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(Long.getLong(AHEAD_MILLIS, 0));

    // The offset and the flag change together, in one object. A reader therefore never combines a new offset with an
    // old flag.
    private static volatile Setting setting = new Setting(0, true);

    private CampaignClock() {}

    private record Setting(long offsetNanos, boolean isShared) {}

    /** Returns the current time on the harness's clock, as precisely as the offset between the clocks is known. */
    static long nanos() {
        return own() + setting.offsetNanos();
    }

    /** Returns the current time on this process's own clock, which the harness compares with the harness's clock. */
    static long own() {
        return System.nanoTime() + AHEAD_NANOS;
    }

    /** Converts a value of {@link System#nanoTime} to the harness's clock. */
    static long at(long nanoTime) {
        return nanoTime + AHEAD_NANOS + setting.offsetNanos();
    }

    /** Sets the offset that must be added to {@link #own} to get the harness's clock. */
    static void set(long offsetNanos) {
        setting = new Setting(offsetNanos, false);
    }

    /**
     * Returns whether the harness and this process use the same clock, which is the case until an offset is set. If
     * they do, a record that seems to arrive before it is due indicates a fault.
     */
    static boolean isShared() {
        return setting.isShared();
    }
}
