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
 * <p>Any thread that holds the lock may settle finished elements and take unstarted ones back. The counter
 * {@code begun} decides who gets an element: the worker increments the counter for each element that it starts, and a
 * thread that takes elements back closes the counter.
 */
final class WorkerRun {

    static final int LONGEST = 64;

    private static final int CLOSED = Integer.MAX_VALUE;

    /** Slots of the run. */
    private int[] slots = new int[1];

    private @Nullable Object[] outcomes = new Object[1];

    /**
     * Number of elements that the worker has started; CLOSED after another thread has taken the unstarted ones back.
     */
    private final AtomicInteger begun = new AtomicInteger(CLOSED);

    /** Number of elements that have an outcome. Written by the worker. */
    private volatile int done;

    private int length;
    private int settled;

    /**
     * Number of runs that this worker has started. {@code runsSeen} and {@code doneSeen} are copies of {@code runs} and
     * {@code done} from the last check for progress.
     */
    private long runs;

    private long runsSeen;
    private int doneSeen;

    /**
     * Starts a run of up to {@code most} elements: {@code first}, which is already taken, and further ready elements.
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

    /** Returns the slot of the next element, or -1 if there is none. Called by the worker, without the lock. */
    int takeNext() {
        int next = begun.get();
        // Reading the length needs no lock: it decreases only after `begun` was closed, and compareAndSet then fails.
        return next < length && begun.compareAndSet(next, next + 1) ? slots[next] : -1;
    }

    /** Stores the outcome of the worker's current element. Called by the worker, without the lock. */
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

    /** Returns whether there is an outcome to settle, for {@link #slot} and {@link #takeOutcome}. */
    boolean hasDone() {
        return settled < done;
    }

    int slot() {
        return slots[settled];
    }

    Object takeOutcome() {
        Object outcome = Objects.requireNonNull(outcomes[settled]);
        outcomes[settled++] = null;
        return outcome;
    }

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

    static boolean ends(Object outcome) {
        return outcome instanceof FailureVerdict verdict && verdict.fails();
    }
}
