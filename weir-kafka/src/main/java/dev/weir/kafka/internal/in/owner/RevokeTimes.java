package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import java.time.Duration;

/**
 * Divides the time for one revocation between unfinished work, the commit and the user's hooks. Together, these times
 * are shorter than the time that the group allows a member to spend in a callback. Immutable.
 *
 * <pre>
 *   begin ------------- deadline ---------------------------------------- max.poll.interval.ms
 *   | work, hooks ...............|  commit  | hooks at least |   return   |
 *                                 <--------- the margin, in thirds ------>
 * </pre>
 *
 * @param deadlineNanos maximum wait for work; also the deadline of the user's hooks if work finishes early
 * @param commitNanos timeout of the commit
 * @param hooksNanos minimum time for all hooks together, even if work and commit took long
 */
record RevokeTimes(long deadlineNanos, long commitNanos, long hooksNanos) {

    /**
     * The part of the poll interval that is reserved for the commit, the hooks and the return from the callback.
     * Limited to half of the interval.
     */
    private static final Duration MARGIN = Duration.ofSeconds(30);

    private static final int PARTS = 3;

    /**
     * Returns the times for the configured revocation deadline. The deadline is shortened if the group would expel a
     * member that waits until then.
     */
    static RevokeTimes of(ConsumerSettings<?, ?> settings, Duration maxPollInterval) {
        long half = maxPollInterval.toNanos() / 2;
        long margin = Math.min(half, MARGIN.toNanos());
        long deadline = Math.min(settings.revokeDeadline().toNanos(), maxPollInterval.toNanos() - margin);
        long part = margin / PARTS;
        return new RevokeTimes(deadline, Math.min(part, OffsetCommits.SYNC_NANOS), Math.min(part, deadline));
    }

    /** Returns the deadline for work in a revocation that began at {@code beginNanos}. */
    long workEnd(long beginNanos) {
        return beginNanos + deadlineNanos;
    }

    /** Returns the deadline for the hooks if the first hook is called at {@code nowNanos}. */
    long hooksEnd(long beginNanos, long nowNanos) {
        long end = workEnd(beginNanos);
        long least = nowNanos + hooksNanos;
        return least - end > 0 ? least : end;
    }
}
