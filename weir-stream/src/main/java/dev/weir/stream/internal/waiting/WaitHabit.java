package dev.weir.stream.internal.waiting;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether a waiting thread spins for a moment before it parks, based on its last waits. Reads no clock: callers
 * report the length of waits. Confined to the waiting thread, except for {@link #isParked}.
 *
 * <pre>
 *   LONG --the average of waits falls to WORTH_NANOS--> SHORT --a stay in vain--> RESTING --restWaits waits--> SHORT
 *     ^                                                   |                         |
 *     +------------ the average of waits rises -----------+-------------------------+
 * </pre>
 *
 * <p>A thread stays (spins) only in SHORT. It begins in LONG; one long wait leads back there, and leaving it takes
 * about ten short waits in a row. So an idle thread never spins, and one that wakes rarely hardly ever does.
 */
public final class WaitHabit {

    /** Average wait up to which spinning is worthwhile: parking and waking cost both sides about this much. */
    static final long WORTH_NANOS = TimeUnit.MICROSECONDS.toNanos(15);

    /** Longest time that a thread spins. */
    static final long STAY_NANOS = 2 * WORTH_NANOS;

    /** Cap on the length of a wait, so that a pause of an hour is forgotten as quickly as one of this length. */
    static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** Smallest number of waits without spinning after a failed spin; each failed spin doubles the number. */
    static final int SHORTEST_REST = 8;

    static final int LONGEST_REST = 4096;

    /** Number of successful spins in a row after which the next rest is halved. */
    static final int GOOD_ROW = 64;

    /** Reciprocal weight of a new wait in the average. */
    private static final int MEMORY = 8;

    private long averageNanos = LONGEST_NANOS;
    private int restWaits = SHORTEST_REST;
    private int restLeft;
    private int goodRow;
    private boolean wokeAnother;

    /** Written by the waiting thread. */
    private volatile boolean parked;

    /** Records that this thread has just woken another, which may need this thread's processor. */
    public void wokeAnother() {
        wokeAnother = true;
    }

    /** Returns whether another thread should run on this processor. Call once per wait. */
    boolean isOthersTurn() {
        boolean others = wokeAnother;
        wokeAnother = false;
        return others;
    }

    /** Returns whether to spin in the wait that begins now. Call once for each reported wait. */
    boolean isToStay() {
        if (averageNanos > WORTH_NANOS) {
            return false;
        }
        if (restLeft > 0) {
            restLeft--;
            return false;
        }
        return true;
    }

    /** Sets whether the thread is parked. */
    void park(boolean now) {
        parked = now;
    }

    /** Returns whether the thread is parked in a wait: a hint. May be called from any thread. */
    boolean isParked() {
        return parked;
    }

    /** Records a wait without spinning: the time until an element arrived, without the wake-up. */
    void parked(long nanos) {
        add(nanos);
    }

    /**
     * Records a spin that ended after {@code nanos} because an element arrived. If it took too long, it counts as
     * failed.
     */
    void stayed(long nanos) {
        add(nanos);
        if (nanos > WORTH_NANOS) {
            rest();
        } else if (++goodRow >= GOOD_ROW) {
            goodRow = 0;
            restWaits = Math.max(SHORTEST_REST, restWaits / 2);
        }
    }

    /** Records a spin in which no element arrived. The wait continues and is reported by {@link #parked(long)}. */
    void stayedInVain() {
        rest();
    }

    private void rest() {
        goodRow = 0;
        restLeft = restWaits;
        restWaits = Math.min(LONGEST_REST, restWaits * 2);
    }

    private void add(long nanos) {
        long counted = Math.clamp(nanos, 0, LONGEST_NANOS);
        averageNanos += (counted - averageNanos) / MEMORY;
    }
}
