package dev.weir.driver;

import java.util.concurrent.TimeUnit;

/**
 * The clock for planned records: the harness's clock, as known to this process. Thread-safe. If the harness and this
 * process run on one machine, it is {@link System#nanoTime}. Otherwise the harness measures the difference between the
 * two clocks and repeatedly sends it with {@link Command.SetClock}.
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

    /** Returns the current time on the harness's clock. The result is as exact as the offset. */
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
     * Returns true until an offset is set. Until then, harness and process use the same clock, and no record can arrive
     * before it is due.
     */
    static boolean isShared() {
        return setting.isShared();
    }
}
