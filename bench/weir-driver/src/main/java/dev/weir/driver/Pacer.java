package dev.weir.driver;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells a producer when the next record is due: at the time of the {@link SendPlan} if there is one, otherwise now.
 * Confined to the sending thread.
 *
 * <p>Overdue records are sent immediately, and their latency is measured from their planned times. If the sending
 * thread overslept, the delay counts as the generator's lateness. A garbage collection does not count.
 *
 * <p>Each record gets a ticket, which the driver passes to {@link Pass#acknowledged(long, int)}:
 *
 * <pre>
 *  63        48 47                              0
 * +------------+---------------------------------+
 * | partition  | nanoseconds after the start + 1 |     0: no planned time
 * +------------+---------------------------------+
 * </pre>
 */
public final class Pacer {
    private static final int TIME_BITS = 48;

    /** Lateness above which the pacer looks for the cause. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Pass pass;
    private final PacerClock clock;
    private final @Nullable SendPlan plan;
    private final long startNanos;

    private long dueNanos;
    private long wokenNanos; // the time of the thread's last wake-up
    private List<PacerClock.Pause> pauses = List.of(); // pauses that may have delayed the last wake-up

    Pacer(Pass pass, PacerClock clock) {
        this.pass = pass;
        this.clock = clock;
        String start = pass.configuration().options().get(SendPlan.START);
        this.startNanos = start == null ? 0 : Long.parseLong(start);
        this.plan = start == null ? null : SendPlan.of(pass.configuration().options());
        this.dueNanos = plan == null ? 0 : plan.nextNanos();
        this.wokenNanos = startNanos;
    }

    /** Returns whether there is no plan, or the next record is due. */
    public boolean isDue() {
        return plan == null || clock.nanos() - dueNanos >= 0;
    }

    /**
     * Waits until {@link #isDue}.
     *
     * @param deadlineNanos a time of {@link System#nanoTime}; {@link Long#MAX_VALUE} for no deadline
     * @return false if the deadline came first, or the pass is over
     * @throws IllegalStateException if the thread is interrupted
     */
    public boolean await(long deadlineNanos) {
        while (!isDue()) {
            long now = clock.nanos();
            long deadline = deadlineNanos == Long.MAX_VALUE ? Long.MAX_VALUE : clock.at(deadlineNanos);
            if (pass.isDone() || (deadline != Long.MAX_VALUE && now - deadline >= 0)) {
                return false;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted before a record was due");
            }
            clock.park(deadline == Long.MAX_VALUE ? dueNanos - now : Math.min(dueNanos - now, deadline - now));
            wokenNanos = clock.nanos();
            pauses = wokenNanos - dueNanos > LATE_NANOS ? clock.pauses() : List.of();
        }
        return true;
    }

    /**
     * Waits until that partition's next record is due, and returns the record's ticket. If the pass is over, the record
     * must not be sent.
     */
    public long next(int partition) {
        if (plan == null) {
            return 0;
        }
        await(Long.MAX_VALUE);
        long ticket = ((long) partition << TIME_BITS) | (dueNanos - startNanos + 1);
        // This thread delayed only the records that were due before its last wake-up.
        pass.lateness().overslept(overslept());
        dueNanos = plan.nextNanos();
        return ticket;
    }

    private long overslept() {
        long late = wokenNanos - dueNanos;
        for (PacerClock.Pause pause : pauses) {
            late -= pause.within(dueNanos, wokenNanos);
        }
        return Math.max(0, late);
    }

    static int partition(long ticket) {
        return (int) (ticket >>> TIME_BITS);
    }

    static long nanosAfterStart(long ticket) {
        return (ticket & ((1L << TIME_BITS) - 1)) - 1;
    }
}
