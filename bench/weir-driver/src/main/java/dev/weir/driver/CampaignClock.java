package dev.weir.driver;

import java.util.concurrent.TimeUnit;

/**
 * The harness's clock, as estimated by this process. The due times of records refer to it. On the harness's machine, it
 * is {@link System#nanoTime}. Otherwise, the harness measures the difference between the clocks and sends it with
 * {@link Command.SetClock}. Thread-safe.
 */
final class CampaignClock {
    /** System property for tests: sets this process's clock ahead. */
    static final String AHEAD_MILLIS = "weir.driver.clock.ahead.millis";

    private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(Long.getLong(AHEAD_MILLIS, 0));

    // Offset and flag change together, because they are in one object.
    private static volatile Setting setting = new Setting(0, true);

    private CampaignClock() {}

    private record Setting(long offsetNanos, boolean isShared) {}

    static long nanos() {
        return own() + setting.offsetNanos();
    }

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

    /** Returns whether the harness and this process use the same clock. */
    static boolean isShared() {
        return setting.isShared();
    }
}
