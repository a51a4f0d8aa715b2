package dev.weir.kafka.internal.meters;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * {@link SendCounts} in two generations, which show for how long the oldest records have had no answer. The watching
 * thread starts a new generation as soon as the previous one has all its answers, but at most once a second. Each
 * record only has to remember its generation. Threads as in {@link SendCounts}.
 */
public final class AgedSendCounts {

    private static final long GENERATION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SendCounts even;
    private final SendCounts odd;

    // Written by the watching thread.
    private volatile boolean isOdd;
    private long begunNanos;
    private boolean isBegun;
    private long leftSeen;
    private long answerNanos;

    /** Creates counts for one sending thread and one that answers. */
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

    /** The present generation, which a record that is about to be sent counts in, and later its answer. */
    public SendCounts present() {
        return isOdd ? odd : even;
    }

    /** The number of answered records. Any thread. */
    public long answered() {
        return even.answered() + odd.answered();
    }

    /** The number of unanswered records. Any thread. */
    public long unanswered() {
        return even.unanswered() + odd.unanswered();
    }

    /**
     * The time for which no record older than the current generation has had an answer; 0 if there is no such record. A
     * slow client keeps answering some of them, one with a stuck partition does not. One thread.
     */
    public long oldestNanos(long nowNanos) {
        long left = (isOdd ? even : odd).unanswered();
        if (left != leftSeen) {
            leftSeen = left;
            answerNanos = nowNanos;
        }
        if (!isBegun || left == 0) {
            if (!isBegun || nowNanos - begunNanos >= GENERATION_NANOS) {
                isOdd = isBegun != isOdd; // the first generation begins with the first check
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
