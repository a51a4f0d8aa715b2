package dev.weir.stream.internal.parallel;

import org.jspecify.annotations.Nullable;

/**
 * Elements that the starter of {@link AsyncStage} takes in one lock acquisition and completes in the next if they are
 * done at once; unstarted ones are returned. Confined to the starter, which holds the lock in methods with a table
 * parameter.
 */
final class StarterRun {

    private static final int LONGEST = 64;

    private final int[] slots = new int[LONGEST];

    /** Outcomes of the started elements; null for those still running. */
    private final @Nullable Object[] outcomes = new Object[LONGEST];

    private int length;
    private int started;
    private int mayRun;
    private long nanos;

    /** Takes up to {@code most} ready elements, so that no more than {@code mayBeRunning} run afterwards. */
    void take(ElementTable<?> table, int mayBeRunning, int most) {
        mayRun = mayBeRunning;
        length = 0;
        started = 0;
        int slot;
        while (length < Math.min(most, LONGEST) && (slot = table.takeReady()) >= 0) {
            slots[length++] = slot;
        }
    }

    /** Starts elements up to the limit. */
    void start(AsyncComputations<?, ?> computations) {
        long start = System.nanoTime();
        while (started < length && mayRun > 0 && !computations.isCancelled()) {
            Object outcome = computations.start(slots[started]);
            outcomes[started++] = outcome;
            if (outcome == null) {
                mayRun--;
            }
        }
        nanos = System.nanoTime() - start;
    }

    /** Returns unstarted elements, the last one first. */
    void giveBackRest(ElementTable<?> table) {
        while (length > started) {
            table.giveBack(slots[--length]);
        }
    }

    int length() {
        return length;
    }

    int slot(int index) {
        return slots[index];
    }

    /** Returns and clears the immediate outcome of an element, or null if it is running. */
    @Nullable
    Object takeOutcome(int index) {
        Object outcome = outcomes[index];
        outcomes[index] = null;
        return outcome;
    }

    /** The time that starting took. */
    long nanos() {
        return nanos;
    }
}
