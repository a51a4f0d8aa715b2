package dev.weir.stream.internal.parallel;

import dev.weir.stream.internal.failure.FailureVerdict;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Elements that a worker takes from the table in one lock acquisition, handles one after the other, and settles in its
 * next lock acquisition. Guarded by the stage's lock, except for members that only the worker uses.
 *
 * <pre>
 *   slots:   settled | done, not settled | at work | not begun | (unused)
 *            0 ..... settled ........... done .... begun ...... length
 * </pre>
 *
 * <p>Any thread that holds the lock may settle finished elements and take unstarted ones back. These elements then need
 * not wait if the worker's current handler blocks unexpectedly. The counter {@code begun} decides who gets an element:
 * the worker increments the counter for each element that it starts, and a thread that takes elements back closes the
 * counter.
 */
final class WorkerRun {

    /** Maximum number of elements in a run. */
    static final int LONGEST = 64;

    private static final int CLOSED = Integer.MAX_VALUE;

    /**
     * The slots of the run. The array starts with one slot, because most workers with slow handlers never need more.
     */
    private int[] slots = new int[1];

    private @Nullable Object[] outcomes = new Object[1];

    /**
     * The number of elements that the worker has started; CLOSED once another thread has taken back the unstarted
     * elements.
     */
    private final AtomicInteger begun = new AtomicInteger(CLOSED);

    /** The number of elements that have an outcome. Written by the worker. */
    private volatile int done;

    private int length;
    private int settled;

    /**
     * The number of runs that this worker has started. {@code runsSeen} and {@code doneSeen} are the values of this
     * field and {@link #done} at the last check for progress.
     */
    private long runs;

    private long runsSeen;
    private int doneSeen;

    /**
     * Starts a run of up to {@code most} elements: {@code first}, which has already been taken, and further ready
     * elements.
     */
    void begin(int first, ElementTable<?> table, int most) {
        if (most > slots.length) {
            slots = new int[LONGEST];
            outcomes = new Object[LONGEST];
        }
        slots[0] = first;
        length = 1;
        int slot;
        while (length < Math.min(most, LONGEST) && (slot = table.takeReady()) >= 0) {
            slots[length++] = slot;
        }
        settled = 0;
        done = 0;
        runs++;
        begun.set(0);
    }

    /**
     * Returns the slot of the next element to process, or -1 if there is none. Called by the worker, without holding
     * the lock.
     */
    int takeNext() {
        int next = begun.get();
        // The length may be read without the lock. It decreases only after `begun` was closed, and compareAndSet then
        // fails.
        return next < length && begun.compareAndSet(next, next + 1) ? slots[next] : -1;
    }

    /** Stores the outcome of the element that the worker took last. Called by the worker, without holding the lock. */
    void put(Object outcome) {
        int index = done;
        outcomes[index] = outcome;
        done = index + 1;
    }

    /** Gives the unstarted elements back to the table in their original order, and returns their number. */
    int takeBack(ElementTable<?> table) {
        int first = begun.getAndSet(CLOSED);
        if (first == CLOSED) {
            return 0;
        }
        int back = length - first;
        while (length > first) {
            table.giveBack(slots[--length]);
        }
        return back;
    }

    /**
     * Returns whether there is an outcome to settle. If so, {@link #slot} returns the element's slot and
     * {@link #takeOutcome} returns the outcome.
     */
    boolean hasDone() {
        return settled < done;
    }

    int slot() {
        return slots[settled];
    }

    /** Removes and returns the next outcome to settle. */
    Object takeOutcome() {
        Object outcome = Objects.requireNonNull(outcomes[settled]);
        outcomes[settled++] = null;
        return outcome;
    }

    /** The number of elements that the worker has not started yet. */
    int notBegun() {
        int first = begun.get();
        return first == CLOSED ? 0 : Math.max(0, length - first);
    }

    /** Returns whether the worker has made no progress since the last check. */
    boolean isStuck() {
        int now = done;
        boolean stuck = runsSeen == runs && doneSeen == now;
        runsSeen = runs;
        doneSeen = now;
        return stuck;
    }

    /** Returns whether the worker must end after this outcome. */
    static boolean ends(Object outcome) {
        return outcome instanceof FailureVerdict verdict && verdict.fails();
    }
}
