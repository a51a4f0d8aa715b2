package dev.weir.driver;

import java.util.concurrent.TimeUnit;

/**
 * The clock by which records are planned: that of the harness, as this process knows it. Thread-safe. It is
 * {@link System#nanoTime} where both are on one machine; elsewhere the harness measures how far the clocks are apart
 * and tells it by {@link Command.SetClock}, again and again.
 */
final class CampaignClock {
    /** System property, for tests: sets the clock of this process ahead, as that of another machine may be. */
    static final String AHEAD_MILLIS = "weir.driver.clock.ahead.millis";

    private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(Long.getLong(AHEAD_MILLIS, 0));

    // One pair, so that a reader cannot see an offset without knowing that it is one.
    private static volatile Setting setting = new Setting(0, true);

    private CampaignClock() {}

    private record Setting(long offsetNanos, boolean isShared) {}

    /** Now, as the harness would read it, but for the error of the offset. */
    static long nanos() {
        return own() + setting.offsetNanos();
    }

    /** Now, by the clock of this process alone: what the harness compares with its own. */
    static long own() {
        return System.nanoTime() + AHEAD_NANOS;
    }

    /** The time of the campaign at which {@link System#nanoTime} was that. */
    static long at(long nanoTime) {
        return nanoTime + AHEAD_NANOS + setting.offsetNanos();
    }

    /** From now on, the campaign's time is {@link #own} and so much. */
    static void set(long offsetNanos) {
        setting = new Setting(offsetNanos, false);
    }

    /** Returns whether nobody has set it: the processes share a clock, and nothing comes before its time. */
    static boolean isShared() {
        return setting.isShared();
    }
}
