package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import java.time.Duration;

/**
 * Divides the time for one revocation between unfinished work, the commit and the user's hooks. The sum is less than
 * the time that the group allows for a callback. Immutable.
 *
 * <pre>
 *   begin ------------- deadline ---------------------------------------- max.poll.interval.ms
 *   | work, hooks ...............|  commit  | hooks at least |   return   |
 *                                 <--------- the margin, in thirds ------>
 * </pre>
 *
 * @param deadlineNanos maximum wait for work, and for the user's hooks if work finishes early
 * @param commitNanos timeout of the commit
 * @param hooksNanos minimum time for all hooks together
 */
record RevokeTimes(long deadlineNanos, long commitNanos, long hooksNanos) {

    /** Time reserved for the commit, the hooks and the return from the callback; at most half of the poll interval. */
    private static final Duration MARGIN = Duration.ofSeconds(30);

    private static final int PARTS = 3;

    /** Returns the times for the configured revocation deadline. Shortens it if the group allows less time. */
    static RevokeTimes of(ConsumerSettings<?, ?> settings, Duration maxPollInterval) {
        long half = maxPollInterval.toNanos() / 2;
        long margin = Math.min(half, MARGIN.toNanos());
        long deadline = Math.min(settings.revokeDeadline().toNanos(), maxPollInterval.toNanos() - margin);
        long part = margin / PARTS;
        return new RevokeTimes(deadline, Math.min(part, OffsetCommits.SYNC_NANOS), Math.min(part, deadline));
    }

    long workEnd(long beginNanos) {
        return beginNanos + deadlineNanos;
    }

    long hooksEnd(long beginNanos, long nowNanos) {
        long end = workEnd(beginNanos);
        long least = nowNanos + hooksNanos;
        return least - end > 0 ? least : end;
    }
}
