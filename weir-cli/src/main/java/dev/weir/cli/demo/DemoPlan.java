package dev.weir.cli.demo;

import dev.weir.command.terminal.CliFailure;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The amount and rate of a demo's traffic. Immutable.
 *
 * @param records maximum number of events to generate
 * @param seconds maximum number of seconds to generate events for, or {@link #NO_LIMIT}
 * @param rate events per second, each with a planned time; {@link #NO_LIMIT} for as many as the pipeline translates
 */
record DemoPlan(int records, int seconds, int rate, long seed) {

    static final int NO_LIMIT = 0;

    /** Default number of events; {@link DemoCommand#ESTIMATE} says how long they take. */
    static final int DEFAULT_RECORDS = 300_000;

    /** Largest number of records for a broker in a temporary folder: about 300 GB. */
    static final int MAX_RECORDS = 100_000_000;

    static final int MAX_SECONDS = 86_400;
    static final int MAX_RATE = 1_000_000;

    /** Checks the options, null if not given, and returns their plan. */
    static DemoPlan of(@Nullable Integer records, @Nullable Integer seconds, @Nullable Integer rate, long seed) {
        check("--records", records, MAX_RECORDS);
        check("--seconds", seconds, MAX_SECONDS);
        check("--rate", rate, MAX_RATE);
        int defaultRecords = seconds == null ? DEFAULT_RECORDS : MAX_RECORDS;
        return new DemoPlan(
                records == null ? defaultRecords : records,
                seconds == null ? NO_LIMIT : seconds,
                rate == null ? NO_LIMIT : rate,
                seed);
    }

    private static void check(String option, @Nullable Integer value, int max) {
        if (value != null && (value < 1 || value > max)) {
            throw CliFailure.badValue(option, value, String.format(Locale.ROOT, "1 to %,d", max));
        }
    }

    boolean isPaced() {
        return rate != NO_LIMIT;
    }

    /** Returns the planned time of an event, relative to the first event. Requires a rate. */
    long plannedNanos(long index) {
        return Math.round(index * (1e9 / rate));
    }

    /** The time limit for generating events. */
    long limitNanos() {
        return seconds == NO_LIMIT ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(seconds);
    }

    @Override
    public String toString() {
        String amount = records == MAX_RECORDS && seconds != NO_LIMIT
                ? "events"
                : records == 1 ? "1 event" : String.format(Locale.ROOT, "%,d events", records);
        String time = seconds == NO_LIMIT ? "" : String.format(Locale.ROOT, " for %,d s", seconds);
        String pace =
                isPaced() ? String.format(Locale.ROOT, ", %,d a second", rate) : ", as fast as they are translated";
        return amount + time + pace + ", seed " + seed;
    }
}
