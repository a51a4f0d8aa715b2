package dev.weir.stream.internal.parallel;

import dev.weir.stream.internal.failure.FailureVerdict;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Elements that a worker takes from the table in one hold of the lock, works on one after the other, and settles in the
 * next. Taken by the worker; guarded by the lock of its stage but for what says that it is the worker's.
 *
 * <pre>
 *   slots:   settled | done, not settled | at work | not begun | (unused)
 *            0 ..... settled ........... done .... begun ...... length
 * </pre>
 *
 * <p>Any thread that holds the lock may take back what has not begun and settle what is done: a handler may block after
 * all, and neither of them may wait for that. Who begins an element is decided by {@code begun}: the worker counts it
 * up, and taking back closes it.
 */
final class WorkerRun {

    /** Elements of a run at most. */
    static final int LONGEST = 64;

    private static final int CLOSED = Integer.MAX_VALUE;

    /** Slots of the run; one until there are more, because most workers of slow handlers never have more. */
    private int[] slots = new int[1];

    private @Nullable Object[] outcomes = new Object[1];

    /** The number of elements the worker has begun; closed once the rest was taken back. */
    private final AtomicInteger begun = new AtomicInteger(CLOSED);

    /** The number of elements with an outcome. Written by the worker. */
    private volatile int done;

    private int length;
    private int settled;

    /** The number of runs this worker has begun, and what of the present one was done at the last look. */
    private long runs;

    private long runsSeen;
    private int doneSeen;

    /** Begins a run of elements that are ready: {@code first}, which is taken, and more up to {@code most} in all. */
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

    /** The slot of the next element to work on, or -1 if there is none. The worker's, without the lock. */
    int claim() {
        int next = begun.get();
        // The length shrinks only once this is closed.
        return next < length && begun.compareAndSet(next, next + 1) ? slots[next] : -1;
    }

    /** Says what came of the element claimed last. The worker's, without the lock. */
    void put(Object outcome) {
        int index = done;
        outcomes[index] = outcome;
        done = index + 1;
    }

    /** Gives back what has not begun, in its order; returns how many that were. */
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

    /** Returns whether there is an outcome to settle; then it is at {@link #slot} and {@link #takeOutcome}. */
    boolean hasDone() {
        return settled < done;
    }

    /** The slot of the next outcome to settle. */
    int slot() {
        return slots[settled];
    }

    /** The next outcome to settle, which is then settled. */
    Object takeOutcome() {
        Object outcome = Objects.requireNonNull(outcomes[settled]);
        outcomes[settled++] = null;
        return outcome;
    }

    /** Elements that wait for the one that is being worked on. */
    int notBegun() {
        int first = begun.get();
        return first == CLOSED ? 0 : Math.max(0, length - first);
    }

    /** Returns whether nothing was done since the last look, which has been in the same run. */
    boolean isStuck() {
        int now = done;
        boolean stuck = runsSeen == runs && doneSeen == now;
        runsSeen = runs;
        doneSeen = now;
        return stuck;
    }

    /** Returns whether the worker is to begin no more after this outcome. */
    static boolean ends(Object outcome) {
        return outcome instanceof FailureVerdict verdict && verdict.fails();
    }
}
