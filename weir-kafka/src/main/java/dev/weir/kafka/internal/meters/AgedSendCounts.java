package dev.weir.kafka.internal.meters;

import java.util.concurrent.TimeUnit;

/**
 * {@link SendCounts} in two generations, which tell for how long the oldest records have had no answer. The thread that
 * looks begins a new generation as soon as the one before the present has all its answers, but at most once a second;
 * it costs a record no more than to remember which generation it is of. Threads as in {@link SendCounts}.
 */
public final class AgedSendCounts {

    private static final long GENERATION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SendCounts even = new SendCounts();
    private final SendCounts odd = new SendCounts();

    // Written by the thread that looks.
    private volatile boolean isOdd;
    private long begunNanos;
    private boolean isBegun;
    private long leftSeen;
    private long answerNanos;

    /** The present generation, which a record that is about to be sent counts in, and later its answer. */
    public SendCounts present() {
        return isOdd ? odd : even;
    }

    /** The number of answered records. Any thread. */
    public long answered() {
        return even.answered() + odd.answered();
    }

    /** The number of records sent and not answered. Any thread. */
    public long unanswered() {
        return even.unanswered() + odd.unanswered();
    }

    /**
     * For how long none of the records has had an answer that are older than the present generation; 0 if there are
     * none. A client that is slow answers some of them all the time, one whose partition is stuck does not. One thread.
     */
    public long oldestNanos(long nowNanos) {
        long left = (isOdd ? even : odd).unanswered();
        if (left != leftSeen) {
            leftSeen = left;
            answerNanos = nowNanos;
        }
        if (!isBegun || left == 0) {
            if (!isBegun || nowNanos - begunNanos >= GENERATION_NANOS) {
                isOdd = isBegun != isOdd; // the first one begins with the first look
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
