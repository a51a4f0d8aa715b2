package dev.weir.bench.figures;

import dev.weir.bench.RunFailure;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Excludes the settling time at the start of a pass from the measurement. Confined to one thread; used for one pass.
 */
public final class Settling {
    // Smallest fraction of the measured time that a pass must contribute.
    private static final double LEAST_REST = 0.1;

    private final double seconds;
    private boolean isOver;
    private long records;
    private long bytes;
    private long nanos;
    private HandlerTime handlers = HandlerTime.NONE;
    private @Nullable Usage usage;

    /**
     * Prepares to exclude the settling time of one pass.
     *
     * @param seconds length of the settling time, from the first record on; 0 for none
     */
    public Settling(double seconds) {
        this.seconds = seconds;
        this.isOver = seconds == 0;
    }

    public boolean isOver() {
        return isOver;
    }

    /** Adds an interval of the settling time. Returns true for the last one; do not call the method after that. */
    public boolean endsWith(Report.Interval interval) {
        records += interval.records();
        bytes += interval.bytes();
        nanos = interval.atNanos();
        handlers = handlers.plus(interval.handlers());
        Usage before = usage;
        usage = before == null ? interval.usage() : before.plus(interval.usage());
        isOver = nanos >= seconds * TimeUnit.SECONDS.toNanos(1) && !interval.last();
        return isOver;
    }

    /**
     * Returns the report of a pass without its settling time.
     *
     * @param measureSeconds total measured time of all passes
     * @throws RunFailure if the pass contributes too little measured time
     */
    public Report.Passed rest(Report.Passed passed, double measureSeconds) {
        if (!isOver) {
            throw new RunFailure(String.format(
                    Locale.ROOT,
                    passed.complete()
                            ? "all %,d records of a pass came within method.settleSeconds, %.1f s: set topic.records to twice that"
                            : "%,d records of a pass came, none of them after method.settleSeconds, %.1f s: the machine is too"
                                    + " busy to be measured on, or method.measureSeconds too short",
                    passed.records(),
                    seconds));
        }
        Usage before = usage;
        double restSeconds = (passed.nanos() - nanos) / (double) TimeUnit.SECONDS.toNanos(1);
        if (before != null && passed.complete() && restSeconds < LEAST_REST * measureSeconds) {
            throw new RunFailure(String.format(
                    Locale.ROOT,
                    "all %,d records of a pass came within %.1f s, of which method.settleSeconds leave %.3f s for"
                            + " method.measureSeconds, %.1f s: set topic.records higher",
                    passed.records(),
                    passed.nanos() / 1e9,
                    restSeconds,
                    measureSeconds));
        }
        return before == null
                ? passed
                : new Report.Passed(
                        passed.complete(),
                        passed.records() - records,
                        passed.bytes() - bytes,
                        passed.nanos() - nanos,
                        passed.joinNanos(),
                        passed.firstMillis() + TimeUnit.NANOSECONDS.toMillis(nanos),
                        passed.usage().since(before),
                        passed.ledger(),
                        passed.client(),
                        passed.handlers().since(handlers));
    }
}
