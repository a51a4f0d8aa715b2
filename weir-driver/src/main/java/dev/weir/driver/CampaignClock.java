package dev.weir.driver;

import java.util.concurrent.TimeUnit;

/**
 * The clock for planned records: the harness's clock, as known to this process. Thread-safe. If both are on one machine
 * it is {@link System#nanoTime}; otherwise the harness measures the difference between the clocks and repeatedly sends
 * it with {@link Command.SetClock}.
 */
final class CampaignClock {
    /** System property, for tests: sets this process's clock ahead, like another machine's clock. */
    static final String AHEAD_MILLIS = "weir.driver.clock.ahead.millis";

    private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(Long.getLong(AHEAD_MILLIS, 0));

    // One object, so that a reader never sees an offset without knowing that it was set.
    private static volatile Setting setting = new Setting(0, true);

    private CampaignClock() {}

    private record Setting(long offsetNanos, boolean isShared) {}

    /** The current time on the harness's clock, except for the error of the offset. */
    static long nanos() {
        return own() + setting.offsetNanos();
    }

    /** The current time on this process's own clock, which the harness compares with its own. */
    static long own() {
        return System.nanoTime() + AHEAD_NANOS;
    }

    /** The campaign's time for a value of {@link System#nanoTime}. */
    static long at(long nanoTime) {
        return nanoTime + AHEAD_NANOS + setting.offsetNanos();
    }

    /** Sets the campaign's time to {@link #own} plus an offset from now on. */
    static void set(long offsetNanos) {
        setting = new Setting(offsetNanos, false);
    }

    /** Returns whether no offset was ever set: the processes use one clock, and no record arrives before its time. */
    static boolean isShared() {
        return setting.isShared();
    }
}
