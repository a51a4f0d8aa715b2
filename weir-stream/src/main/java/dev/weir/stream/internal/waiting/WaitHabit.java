package dev.weir.stream.internal.waiting;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether a waiting thread spins for a moment before it parks, based on the thread's recent waits. It reads no
 * clock: callers report the length of waits. Confined to the waiting thread, except for {@link #isParked}.
 *
 * <pre>
 *   LONG --the average of waits falls to WORTH_NANOS--> SHORT --a failed spin---> RESTING --restWaits waits--> SHORT
 *     ^                                                   |                         |
 *     +------------ the average of waits rises -----------+-------------------------+
 * </pre>
 *
 * <p>A thread spins only in SHORT. It starts in LONG. A single long wait leads back to LONG, and leaving LONG takes
 * about ten short waits in a row.
 */
public final class WaitHabit {

    /** Maximum average wait for which spinning is worthwhile. Parking and waking take each thread about this long. */
    static final long WORTH_NANOS = TimeUnit.MICROSECONDS.toNanos(15);

    static final long STAY_NANOS = 2 * WORTH_NANOS;

    /** Longer waits count as this long in the average, so that one long pause does not dominate it. */
    static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** Minimum number of waits without spinning after a failed spin. Each failed spin doubles the number. */
    static final int SHORTEST_REST = 8;

    static final int LONGEST_REST = 4096;

    /** Number of successful spins in a row that halves the next rest. */
    static final int GOOD_ROW = 64;

    /** Weight of a new wait in the average: 1 divided by this number. */
    private static final int MEMORY = 8;

    private long averageNanos = LONGEST_NANOS;
    private int restWaits = SHORTEST_REST;
    private int restLeft;
    private int goodRow;
    private boolean wokeAnother;

    /** Written by the waiting thread. */
    private volatile boolean parked;

    /** Called when this thread has woken another thread, which may need its processor. */
    public void wokeAnother() {
        wokeAnother = true;
    }

    /** Returns whether to leave the processor to a woken thread. Called once per wait. */
    boolean isOthersTurn() {
        boolean others = wokeAnother;
        wokeAnother = false;
        return others;
    }

    /** Returns whether to spin in the wait that starts now. Called once for each reported wait. */
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

    void park(boolean now) {
        parked = now;
    }

    /** Returns whether the thread is parked in a wait. Only a hint. May be called from any thread. */
    boolean isParked() {
        return parked;
    }

    /**
     * Adds a wait without spinning to the average.
     *
     * @param nanos time from the start of the wait until an element arrived, without the time to wake the thread
     */
    void parked(long nanos) {
        add(nanos);
    }

    /** Counts a spin that ended after {@code nanos} because an element arrived. A long spin counts as failed. */
    void stayed(long nanos) {
        add(nanos);
        if (nanos > WORTH_NANOS) {
            rest();
        } else if (++goodRow >= GOOD_ROW) {
            goodRow = 0;
            restWaits = Math.max(SHORTEST_REST, restWaits / 2);
        }
    }

    /** Counts a spin during which no element arrived. {@link #parked(long)} reports the remaining wait. */
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
