package dev.weir.stream.internal.ack;

import dev.weir.stream.spi.AckTarget;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts the pending acknowledgements of each element in one batch, and remembers whether one of them was forgone (the
 * element was not needed) or abandoned. Tokens are the indexes of the elements. Thread-safe.
 *
 * <pre>
 *   state    n: n acknowledgements are pending; 0: all have ended
 *            FORGONE, ABANDONED: added once a holder has forgone or abandoned the element
 *            DETACHED: added once the outcome of the element no longer matters
 * </pre>
 */
public abstract class CountedAcknowledgements extends DerivedTarget {

    public static final int FORGONE = 1 << 30;
    public static final int ABANDONED = 1 << 29;
    private static final int DETACHED = 1 << 28;
    private static final int COUNT = DETACHED - 1;

    private final AtomicIntegerArray states;

    /** Creates a target for {@code size} elements, each with one pending acknowledgement. */
    protected CountedAcknowledgements(int size) {
        states = new AtomicIntegerArray(size);
        for (int i = 0; i < size; i++) {
            states.setPlain(i, 1);
        }
    }

    /**
     * Called when the last pending acknowledgement of an element has ended.
     *
     * @param outcome the bits {@link #FORGONE} and {@link #ABANDONED}, or 0 if the element was only acknowledged
     */
    protected abstract void ended(int index, int outcome);

    /** Ends one pending acknowledgement of {@code token} with {@code outcome}, as in {@link #ended}. */
    public static void end(AckTarget target, long token, int outcome) {
        if ((outcome & ABANDONED) != 0) {
            target.abandon(token);
        } else if ((outcome & FORGONE) != 0) {
            target.forgo(token);
        } else {
            target.ack(token);
        }
    }

    /** Returns whether no acknowledgement of the element is pending and at least one was abandoned. */
    protected final boolean isAbandoned(int index) {
        int state = states.get(index);
        return (state & COUNT) == 0 && (state & ABANDONED) != 0;
    }

    /**
     * Prevents {@link #ended} from being called for an element. Returns false if its acknowledgements have all ended,
     * or if it is already detached.
     */
    protected final boolean detach(int index) {
        int before = states.getAndUpdate(index, state -> (state & COUNT) != 0 ? state | DETACHED : state);
        return (before & COUNT) != 0 && (before & DETACHED) == 0;
    }

    @Override
    public final void ack(long token) {
        end((int) token, 0);
    }

    @Override
    public final void forgo(long token) {
        end((int) token, FORGONE);
    }

    @Override
    public final void abandon(long token) {
        end((int) token, ABANDONED);
    }

    private void end(int index, int mark) {
        int before = states.getAndUpdate(index, state -> (state & COUNT) != 0 ? (state - 1) | mark : state);
        if ((before & COUNT) == 0) {
            throw new IllegalStateException("acknowledged more often than retained");
        }
        if ((before & (COUNT | DETACHED)) == 1) {
            ended(index, (before | mark) & (FORGONE | ABANDONED));
        }
    }

    @Override
    public final void retain(long token, int more) {
        int before = states.getAndUpdate((int) token, state -> (state & COUNT) != 0 ? state + more : state);
        if ((before & COUNT) == 0) {
            throw new IllegalStateException("retained after it was finished");
        }
    }
}
