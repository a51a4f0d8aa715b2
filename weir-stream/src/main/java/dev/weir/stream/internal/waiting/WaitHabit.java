package dev.weir.stream.internal.waiting;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether a thread that has to wait stays on its processor for a moment before it parks, as learned from its
 * last waits. Knows no clock: it is told how long waits took. Confined to the waiting thread, but for {@link
 * #isParked}.
 *
 * <pre>
 *   LONG --the average of waits falls to WORTH_NANOS--> SHORT --a stay in vain--> RESTING --restWaits waits--> SHORT
 *     ^                                                   |                         |
 *     +------------ the average of waits rises -----------+-------------------------+
 * </pre>
 *
 * <p>Only in SHORT does it stay. It begins in LONG, and one long wait leads back there: after that it takes some ten
 * short ones in a row. So an idle thread never stays, and one that wakes rarely hardly ever does.
 */
public final class WaitHabit {

    /** Average length of a wait up to which staying is worth it: parking and being woken take both sides about that. */
    static final long WORTH_NANOS = TimeUnit.MICROSECONDS.toNanos(15);

    /** For how long a thread stays at most. */
    static final long STAY_NANOS = 2 * WORTH_NANOS;

    /** A wait counts as this long at most: a pause of an hour is forgotten as soon as one of this length. */
    static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** Bounds of the waits without a stay after one in vain; each stay in vain doubles their number. */
    static final int SHORTEST_REST = 8;

    static final int LONGEST_REST = 4096;

    /** Successful stays in a row after which the next rest is half as long. */
    static final int GOOD_ROW = 64;

    /** The weight of a new wait in the average: one part in so many. */
    private static final int MEMORY = 8;

    private long averageNanos = LONGEST_NANOS;
    private int restWaits = SHORTEST_REST;
    private int restLeft;
    private int goodRow;
    private boolean wokeAnother;

    /** Written by the waiting thread. */
    private volatile boolean parked;

    /** Notes that this thread has just woken another, which may want the processor that this one has. */
    public void wokeAnother() {
        wokeAnother = true;
    }

    /** Returns whether it is another's turn on this processor. To be asked once for each wait. */
    boolean isOthersTurn() {
        boolean others = wokeAnother;
        wokeAnother = false;
        return others;
    }

    /**
     * Returns whether to stay in the wait that begins now. To be asked once for each wait that is told of afterwards.
     */
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

    /** Says whether the thread is parked from now on. */
    void park(boolean now) {
        parked = now;
    }

    /** Returns whether the thread is parked in a wait: a hint. Any thread. */
    boolean isParked() {
        return parked;
    }

    /** Takes in a wait without a stay: how long it took until something came, the waking left out. */
    void parked(long nanos) {
        add(nanos);
    }

    /** Takes in a stay that ended after {@code nanos} as something came. One that took too long counts as in vain. */
    void stayed(long nanos) {
        add(nanos);
        if (nanos > WORTH_NANOS) {
            rest();
        } else if (++goodRow >= GOOD_ROW) {
            goodRow = 0;
            restWaits = Math.max(SHORTEST_REST, restWaits / 2);
        }
    }

    /** Takes in a stay in which nothing came. The wait goes on, and is told of by {@link #parked(long)}. */
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
