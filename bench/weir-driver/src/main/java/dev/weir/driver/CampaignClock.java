package dev.weir.driver;

import java.util.concurrent.TimeUnit;

/**
 * The harness's clock, as estimated by this process. The due times of planned records refer to this clock. Thread-safe.
 * If the harness and this process run on the same machine, both use {@link System#nanoTime}. Otherwise, the harness
 * measures the difference between its own clock and this process's clock, and repeatedly sends it with
 * {@link Command.SetClock}.
 */
final class CampaignClock {
    /** System property for tests: sets this process's clock ahead, as if the process ran on another machine. */
    static final String AHEAD_MILLIS = "weir.driver.clock.ahead.millis";

    private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(Long.getLong(AHEAD_MILLIS, 0));

    // The offset and the flag are stored in one object, so that they always change together. A reader never sees a new
    // offset with an old flag.
    private static volatile Setting setting = new Setting(0, true);

    private CampaignClock() {}

    private record Setting(long offsetNanos, boolean isShared) {}

    /** Returns the estimated current time on the harness's clock. */
    static long nanos() {
        return own() + setting.offsetNanos();
    }

    /**
     * Returns the current time on this process's own clock. The harness compares it with the time on the harness's
     * clock.
     */
    static long own() {
        return System.nanoTime() + AHEAD_NANOS;
    }

    /** Converts a value of {@link System#nanoTime} to a time on the harness's clock. */
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
