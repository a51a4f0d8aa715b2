package dev.weir.stream.internal.parallel;

import org.jspecify.annotations.Nullable;

/**
 * Elements that one thread takes from the table of an {@link AsyncStage} to start their computations. Later the thread
 * settles finished elements and gives unstarted ones back. Confined to this thread, which must hold the lock when it
 * passes the table.
 */
final class StarterRun {

    private static final int LONGEST = 64;

    private final int[] slots = new int[LONGEST];

    /** The outcomes of the started elements; null while running. */
    private final @Nullable Object[] outcomes = new Object[LONGEST];

    private int length;
    private int started;
    private int mayRun;
    private long nanos;

    /** Takes up to {@code most} ready elements. {@link #start} starts them until {@code mayBeRunning} are running. */
    void take(ElementTable<?> table, int mayBeRunning, int most) {
        mayRun = mayBeRunning;
        length = 0;
        started = 0;
        int slot;
        while (length < Math.min(most, LONGEST) && (slot = table.takeReady()) >= 0) {
            slots[length++] = slot;
        }
    }

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

    /** Gives unstarted elements back to the table, the last element first. */
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

    /** Removes and returns the outcome of an element, or null if its computation is running. */
    @Nullable
    Object takeOutcome(int index) {
        Object outcome = outcomes[index];
        outcomes[index] = null;
        return outcome;
    }

    long nanos() {
        return nanos;
    }
}
