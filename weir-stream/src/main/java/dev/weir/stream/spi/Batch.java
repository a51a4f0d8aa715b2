package dev.weir.stream.spi;

import dev.weir.stream.internal.run.FailureTransfer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of elements with their acknowledgement targets, stored as a struct of arrays, so elements need no objects
 * of their own. Confined to one thread at a time: the stage that pulled a batch owns it, may modify it in place, and
 * gives up ownership by handing it on. The last owner may {@link #release} it.
 *
 * <pre>
 *   values   | v0 | v1 | v2 | ... |          size used
 *   targets  | one for all, or one each |    who emitted the element
 *   tokens   | t0 | t1 | t2 | ... |          which element of that emitter
 * </pre>
 */
public final class Batch<T> {

    /** The default number of elements in a batch. */
    public static final int DEFAULT_CAPACITY = 512;

    static final long[] NO_TOKENS = {};

    private Object[] values;
    private int size;

    /** Index of the last element that the owner read. Other threads read it to estimate progress. */
    private int at;

    // Either `target` applies to all elements and `targets` is empty, or `targets` holds one target for each element.
    private AckTarget target;
    private AckTarget[] targets = NO_TARGETS;
    private long[] tokens;
    private @Nullable BatchPool home;
    /** The epoch of the arrays of a pooled batch. */
    @Nullable
    CollectionEpoch madeIn;

    private enum Ending {
        ACK,
        FORGO,
        ABANDON,
        DROP
    }

    private static final AckTarget[] NO_TARGETS = {};
    static final Object[] NO_VALUES = {};
    private static final Object[] NULLS = new Object[DEFAULT_CAPACITY];

    /** Creates an empty batch with room for {@code capacity} elements. The batch grows when necessary. */
    public Batch(int capacity) {
        this(new Object[capacity], 0, AckTarget.NONE, NO_TOKENS);
    }

    /** Creates an empty batch without arrays, which a pool adds with {@link #equip}. */
    Batch() {
        this(NO_VALUES, 0, AckTarget.NONE, NO_TOKENS);
    }

    /** Gives arrays to this empty batch. {@link #release} returns them to {@code pool}. */
    void equip(Object[] itsValues, long[] itsTokens, BatchPool pool, CollectionEpoch itsMadeIn) {
        values = itsValues;
        tokens = itsTokens;
        home = pool;
        madeIn = itsMadeIn;
        // A caller may have added elements to the batch after its release.
        size = 0;
        target = AckTarget.NONE;
        targets = NO_TARGETS;
    }

    private Batch(Object[] values, int size, AckTarget target, long[] tokens) {
        this.values = values;
        this.size = size;
        this.target = target;
        this.tokens = tokens;
    }

    /**
     * Wraps arrays of elements that one target emitted. The batch takes ownership of the arrays.
     *
     * @param tokens one for each of the {@code size} elements
     */
    public static <T> Batch<T> of(Object[] values, int size, AckTarget target, long[] tokens) {
        return new Batch<>(values, size, target, tokens);
    }

    /** Wraps an array of elements without acknowledgements. The batch takes ownership of the array. */
    public static <T> Batch<T> unacknowledged(Object[] values, int size) {
        return new Batch<>(values, size, AckTarget.NONE, NO_TOKENS);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    void rewind() {
        at = 0;
    }

    /** Estimates the number of elements that the current stage has processed. May be called from any thread. */
    int passed() {
        return Math.min(at, size);
    }

    @SuppressWarnings("unchecked") // only T values are stored while the batch is a Batch<T>
    public T get(int index) {
        at = index;
        return (T) values[index];
    }

    /** The acknowledgement target of the element at {@code index}. */
    public AckTarget target(int index) {
        return targets.length == 0 ? target : targets[index];
    }

    /** The token of the element at {@code index} in its {@link #target}; 0 without acknowledgement. */
    public long token(int index) {
        return tokens.length == 0 ? 0 : tokens[index];
    }

    /** Ends one pending acknowledgement of the element at {@code index}. */
    public void ack(int index) {
        AckTarget to = target(index);
        if (to != AckTarget.NONE) {
            to.ack(tokens[index]);
        }
    }

    /**
     * Ends one pending acknowledgement of the element at {@code index}, which is not needed. See
     * {@link AckTarget#forgo}.
     */
    public void forgo(int index) {
        target(index).forgo(token(index));
    }

    /** Ends one pending acknowledgement of each element from index {@code first} on. See {@link #forgo}. */
    public void forgoFrom(int first) {
        FailureTransfer.rethrowIfAny(end(Ending.FORGO, first, size, null));
    }

    /**
     * Abandons one pending acknowledgement of each element, because their holder was closed. See
     * {@link AckTarget#abandon}.
     */
    public void abandonAll() {
        abandonFrom(0);
    }

    /** Abandons one pending acknowledgement of each element from index {@code first} on. See {@link #abandonAll}. */
    public void abandonFrom(int first) {
        FailureTransfer.rethrowIfAny(end(Ending.ABANDON, first, size, null));
    }

    /**
     * Abandons the elements before index {@code kept} and from index {@code first} on. For a stage that is interrupted
     * within a batch.
     */
    public void abandonAllBut(int kept, int first) {
        Throwable failure = end(Ending.ABANDON, 0, kept, null);
        FailureTransfer.rethrowIfAny(end(Ending.ABANDON, first, size, failure));
    }

    private void abandon(int index) {
        target(index).abandon(token(index));
    }

    /**
     * Ends one pending acknowledgement of each element in a range, even if a target throws. Targets may call user code.
     *
     * @param before an earlier failure, to which the targets' failures are added as suppressed; or null
     * @return the first failure, or null
     */
    private @Nullable Throwable end(Ending how, int from, int to, @Nullable Throwable before) {
        Throwable failure = before;
        int next = from;
        while (next < to) {
            try {
                // A loop per case avoids a branch per element.
                switch (how) {
                    case ACK -> {
                        while (next < to) {
                            ack(next++);
                        }
                    }
                    case FORGO -> {
                        while (next < to) {
                            forgo(next++);
                        }
                    }
                    case ABANDON -> {
                        while (next < to) {
                            abandon(next++);
                        }
                    }
                    case DROP -> {
                        while (next < to) {
                            boolean ignored = dropIfRevoked(next++);
                        }
                    }
                }
            } catch (RuntimeException | Error thrown) {
                failure = FailureTransfer.first(failure, thrown);
            }
        }
        return failure;
    }

    /**
     * Returns true, and ends one pending acknowledgement, if the source no longer owns the element. The caller must
     * then drop it. See {@link AckTarget#dropIfRevoked}.
     */
    public boolean dropIfRevoked(int index) {
        AckTarget to = target(index);
        return to != AckTarget.NONE && to.dropIfRevoked(tokens[index]);
    }

    /** Returns whether the source no longer owns the element. See {@link AckTarget#isRevoked}. */
    public boolean isRevoked(int index) {
        AckTarget to = target(index);
        return to != AckTarget.NONE && to.isRevoked(tokens[index]);
    }

    /**
     * Removes and returns the elements that their source no longer owns. The caller must drop them. The order is kept.
     */
    public Batch<?> removeRevoked() {
        Batch<?> revoked = new Batch<>(0);
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (isRevoked(i)) {
                revoked.add(values[i], target(i), tokens[i]);
            } else {
                move(i, kept++);
            }
        }
        truncate(kept);
        return revoked;
    }

    /** Ends one pending acknowledgement of each element that its source no longer owns. */
    public void dropAllRevoked() {
        FailureTransfer.rethrowIfAny(end(Ending.DROP, 0, size, null));
    }

    /**
     * Returns the index of the first element that {@linkplain AckTarget#standsFor stands for} the given element, or -1.
     */
    public int find(AckTarget of, long ofToken) {
        for (int i = 0; i < size; i++) {
            if (target(i).standsFor(token(i), of, ofToken)) {
                return i;
            }
        }
        return -1;
    }

    /** Replaces the target of each element with the result of {@code change}. */
    public void retarget(UnaryOperator<AckTarget> change) {
        if (targets.length == 0) {
            target = change.apply(target);
            return;
        }
        for (int i = 0; i < size; i++) {
            targets[i] = change.apply(targets[i]);
        }
    }

    /** Replaces the target of the element at {@code index}; its token does not change. */
    public void retarget(int index, AckTarget to) {
        splitTargets();
        targets[index] = to;
    }

    /** Ends one pending acknowledgement of each element. */
    public void ackAll() {
        if (targets.length != 0 || target != AckTarget.NONE) {
            ackRange(0, size);
        }
    }

    /** Ends one pending acknowledgement of each element from index {@code first} up to {@code end}, exclusive. */
    public void ackRange(int first, int end) {
        FailureTransfer.rethrowIfAny(end(Ending.ACK, first, end, null));
    }

    /** Adds {@code count} pending acknowledgements to each element. Must be called before copies are handed out. */
    public void retainAll(int count) {
        if (targets.length == 0 && target == AckTarget.NONE) {
            return;
        }
        for (int i = 0; i < size; i++) {
            target(i).retain(token(i), count);
        }
    }

    /** Returns a copy of this batch. {@link #retainAll} must add the copy's pending acknowledgements. */
    public Batch<T> copy() {
        Batch<T> copy = new Batch<>(values.clone(), size, target, tokens.length == 0 ? tokens : tokens.clone());
        copy.targets = targets.length == 0 ? targets : targets.clone();
        return copy;
    }

    /** Replaces the value at {@code index} and keeps its acknowledgement. See {@link #retyped}. */
    public void set(int index, Object value) {
        values[index] = value;
    }

    /** Returns this batch with the type of the values that were just {@link #set}. */
    @SuppressWarnings("unchecked") // the caller has replaced every value
    public <R> Batch<R> retyped() {
        return (Batch<R>) this;
    }

    /** Moves the element at {@code from} to the lower or equal index {@code to}, to close gaps. */
    public void move(int from, int to) {
        if (from == to) {
            return;
        }
        values[to] = values[from];
        if (tokens.length != 0) {
            tokens[to] = tokens[from];
        }
        if (targets.length != 0) {
            targets[to] = targets[from];
        }
    }

    /** Removes the first {@code count} elements without acknowledging them. */
    public void removeFirst(int count) {
        for (int i = count; i < size; i++) {
            move(i, i - count);
        }
        truncate(size - count);
    }

    /** Removes the elements from index {@code newSize} on, without acknowledging them. */
    public void truncate(int newSize) {
        if (newSize == size) {
            return;
        }
        clear(values, newSize, size);
        size = newSize;
    }

    /**
     * Fills a range with nulls by copying them: G1 needs one barrier per array copy, but one per store in Arrays.fill.
     */
    private static void clear(Object[] values, int from, int to) {
        for (int at = from; at < to; at += NULLS.length) {
            System.arraycopy(NULLS, 0, values, at, Math.min(NULLS.length, to - at));
        }
    }

    /** Appends an element without an acknowledgement. */
    public void add(Object value) {
        add(value, AckTarget.NONE, 0);
    }

    /** Appends an element that carries one pending acknowledgement. */
    public void add(Object value, AckTarget to, long token) {
        if (size == values.length) {
            values = Arrays.copyOf(values, Math.max(8, size * 2));
        }
        if (size == 0) {
            target = to;
            targets = NO_TARGETS;
        } else if (targets.length != 0 || to != target) {
            splitTargets();
            targets[size] = to;
        }
        if (to != AckTarget.NONE || tokens.length != 0) {
            if (tokens.length <= size) {
                tokens = Arrays.copyOf(tokens, values.length);
            }
            tokens[size] = token;
        }
        values[size++] = value;
    }

    /**
     * Appends elements that share an acknowledgement, until the batch holds {@code limit} elements or the iterator
     * ends. If the iterator throws, the appended elements stay in the batch.
     *
     * @param stopped checked before each element; ends the call if it returns true
     * @return false if the iterator has ended; true if it may have more elements
     */
    public boolean addAll(
            Iterator<? extends T> elements, int limit, BooleanSupplier stopped, AckTarget to, long token) {
        int first = size;
        int end = first;
        Object[] into = values;
        try {
            while (end < limit && !stopped.getAsBoolean()) {
                if (!elements.hasNext()) {
                    return false;
                }
                Object value = Objects.requireNonNull(elements.next(), "an element of a stream must not be null");
                if (end == into.length) {
                    into = Arrays.copyOf(into, Math.max(8, end * 2));
                }
                into[end++] = value;
            }
            return true;
        } finally {
            values = into;
            extend(end, to, token);
        }
    }

    /**
     * Appends the elements that were {@link #set} from the current size up to {@code end}, exclusive. They share an
     * acknowledgement. {@code end} must not exceed the batch's initial capacity.
     */
    public void extend(int end, AckTarget to, long token) {
        int first = size;
        if (first == end) {
            return;
        }
        if (first == 0) {
            target = to;
            targets = NO_TARGETS;
        } else if (targets.length != 0 || to != target) {
            splitTargets();
            Arrays.fill(targets, first, end, to);
        }
        if (to != AckTarget.NONE || tokens.length != 0) {
            if (tokens.length < end) {
                tokens = Arrays.copyOf(tokens, values.length);
            }
            Arrays.fill(tokens, first, end, token);
        }
        size = end;
    }

    private void splitTargets() {
        if (targets.length == 0) {
            targets = new AckTarget[values.length];
            Arrays.fill(targets, 0, size, target);
        } else if (targets.length < values.length) {
            targets = Arrays.copyOf(targets, values.length);
        }
    }

    /**
     * Empties the batch and returns its arrays to their pool for reuse. Acknowledges nothing. The owner must not use
     * the batch any longer, because the next pull may reuse the object. A batch that is never released only costs
     * garbage collection; if in doubt, do not release it.
     */
    public void release() {
        BatchPool pool = home;
        if (pool != null) {
            home = null;
            Object[] spareValues = values;
            long[] spareTokens = tokens;
            clear(spareValues, 0, size);
            values = NO_VALUES;
            tokens = NO_TOKENS;
            targets = NO_TARGETS;
            target = AckTarget.NONE;
            size = 0;
            pool.giveBack(this, spareValues, spareTokens);
        }
    }
}
