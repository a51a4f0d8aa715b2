package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import java.time.Duration;

/**
 * Divides the time of one revocation. Immutable. All of it together is less than the group lets a member stay in a
 * callback.
 *
 * <pre>
 *   begin ------------- deadline ---------------------------------------- max.poll.interval.ms
 *   | work, hooks ...............|  commit  | hooks at least |  way back  |
 *                                 <--------- the margin, in thirds ------>
 * </pre>
 *
 * @param deadlineNanos how long work is waited for, and what the user's hooks have to end by if there is time left
 * @param commitNanos how long the commit may take
 * @param hooksNanos what the hooks together have at least, however long work and commit took
 */
record RevokeTimes(long deadlineNanos, long commitNanos, long hooksNanos) {

    /** The part of the poll interval that is not given to work; half of the interval if that is less. */
    private static final Duration MARGIN = Duration.ofSeconds(30);

    private static final int PARTS = 3;

    /** The deadline of the settings, or less if the group would expel a member that waits so long. */
    static RevokeTimes of(ConsumerSettings<?, ?> settings, Duration maxPollInterval) {
        long half = maxPollInterval.toNanos() / 2;
        long margin = Math.min(half, MARGIN.toNanos());
        long deadline = Math.min(settings.revokeDeadline().toNanos(), maxPollInterval.toNanos() - margin);
        long part = margin / PARTS;
        return new RevokeTimes(deadline, Math.min(part, OffsetCommits.SYNC_NANOS), Math.min(part, deadline));
    }

    /** The time when work is not waited for any longer in a revocation that began at {@code beginNanos}. */
    long workEnd(long beginNanos) {
        return beginNanos + deadlineNanos;
    }

    /** The time when the hooks are not waited for any longer, of which the first is called at {@code nowNanos}. */
    long hooksEnd(long beginNanos, long nowNanos) {
        long end = workEnd(beginNanos);
        long least = nowNanos + hooksNanos;
        return least - end > 0 ? least : end;
    }
}
