package dev.weir.kafka.internal.meters;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Counts sent and acknowledged records, and measures how long the oldest records have been unacknowledged. Records are
 * counted in two generations. A new generation begins once all records of the older one are acknowledged, after a
 * second at the earliest. The rules about threads in {@link SendCounts} also apply here.
 */
public final class AgedSendCounts {

    private static final long GENERATION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SendCounts even;
    private final SendCounts odd;

    private volatile boolean isOdd;
    private long begunNanos;
    private boolean isBegun;
    private long leftSeen;
    private long answerNanos;

    /** Creates counts for one thread that sends records and one thread that counts acknowledgements. */
    public AgedSendCounts() {
        this(SendCounts::new);
    }

    private AgedSendCounts(Supplier<SendCounts> generations) {
        even = generations.get();
        odd = generations.get();
    }

    /** Creates counts that any thread may change. */
    public static AgedSendCounts ofAnyThread() {
        return new AgedSendCounts(SendCounts::ofAnyThread);
    }

    /** Returns the counts for a new record. The record's acknowledgement must be counted in the same object. */
    public SendCounts present() {
        return isOdd ? odd : even;
    }

    /** Returns the number of acknowledged records. May be called from any thread. */
    public long answered() {
        return even.answered() + odd.answered();
    }

    /** Returns the number of unacknowledged records. May be called from any thread. */
    public long unanswered() {
        return even.unanswered() + odd.unanswered();
    }

    /** Estimates how long the oldest record has been unacknowledged. Must be called by one thread. */
    public long oldestNanos(long nowNanos) {
        long left = (isOdd ? even : odd).unanswered();
        if (left != leftSeen) {
            leftSeen = left;
            answerNanos = nowNanos;
        }
        if (!isBegun || left == 0) {
            if (!isBegun || nowNanos - begunNanos >= GENERATION_NANOS) {
                isOdd = isBegun != isOdd; // the first check starts a generation without switching
                isBegun = true;
                begunNanos = nowNanos;
                answerNanos = nowNanos;
                leftSeen = (isOdd ? even : odd).unanswered();
            }
            return 0;
        }
        return nowNanos - answerNanos;
    }
}
