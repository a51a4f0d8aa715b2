package dev.weir.stream.internal.parallel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The slots that one lane has taken at once, to work on one after the other without the stage's lock in between. Taken,
 * ended and taken back under that lock; the lane alone begins and finishes.
 *
 * <p>Each slot is begun once at most: by the lane, or not at all because a thread with the lock was quicker to
 * {@linkplain #takeBack take back} what had not begun.
 */
final class LaneRun {

    /** Beyond each index, far from an overflow. */
    private static final int TAKEN_BACK = Integer.MAX_VALUE / 2;

    /** How many slots it has begun, or {@link #TAKEN_BACK} and more. */
    private final AtomicInteger begun = new AtomicInteger();

    /** How many outcomes there are. Written by the lane. */
    private final AtomicInteger finished = new AtomicInteger();

    // Written under the lock, before the lane works. Most lanes never take more than one.
    private int[] slots = new int[1];
    private Object[] outcomes = new Object[1];
    private int size;

    /** Under the lock: outcomes that the stage knows. */
    private int settled;

    // Under the lock: which run of its lane it is, and which one was there at the last look.
    private int number;
    private int numberSeen = -1;

    /** Under the lock: where the stage keeps it, or -1. */
    int place = -1;

    /** Under the lock: begins anew with room for {@code most} slots. */
    void clear(int most) {
        if (slots.length < most) {
            slots = new int[most];
            outcomes = new Object[most];
        }
        size = 0;
        settled = 0;
        number++;
        // The first is begun at once: a lane does not take what it does not begin.
        begun.setRelease(1);
        finished.setRelease(0);
    }

    /** Under the lock, after {@link #clear}. */
    void add(int slot) {
        slots[size++] = slot;
    }

    int size() {
        return size;
    }

    int slot(int index) {
        return slots[index];
    }

    /** The next index to work on after {@code index}, or -1 if there is none left. The lane's. */
    int beginAfter(int index) {
        if (index + 1 >= size) {
            return -1;
        }
        int next = begun.getAndIncrement();
        return next < size ? next : -1;
    }

    /** Notes how the work on the next slot has ended. The lane's. */
    void finish(int index, Object outcome) {
        outcomes[index] = outcome;
        finished.setRelease(index + 1);
    }

    /** How many slots have not begun. Any thread; exact under the lock for a run that was taken back. */
    int unbegun() {
        return Math.max(0, size - begun.getAcquire());
    }

    /** Under the lock: whether the last such look was at this run too, which should have taken some microseconds. */
    boolean wasSeen() {
        boolean seen = number == numberSeen;
        numberSeen = number;
        return seen;
    }

    /** Under the lock: keeps the lane from beginning any more; returns the first index that it has not begun. */
    int takeBack() {
        return Math.min(begun.getAndSet(TAKEN_BACK), size);
    }

    /** Under the lock: the index of the next outcome that the stage does not know yet, or -1 if it knows all. */
    int nextToSettle() {
        return settled < finished.getAcquire() ? settled++ : -1;
    }

    /** The outcome of a finished index, which it forgets. */
    Object removeOutcome(int index) {
        Object outcome = outcomes[index];
        outcomes[index] = "";
        return outcome;
    }
}
