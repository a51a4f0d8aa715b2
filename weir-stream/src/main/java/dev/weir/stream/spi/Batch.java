package dev.weir.stream.spi;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of elements with their acknowledgement targets, stored as a struct of arrays without an object per
 * element. Confined to one thread at a time: the stage that pulled a batch owns it, may change it in place, and gives
 * it up by handing it on. The last owner may {@link #release} it.
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

    /** Index of the last element read by the owner. Other threads read it as an estimate of progress. */
    private int at;

    // Either `target` serves all elements and `targets` is empty, or `targets` holds one for each.
    private AckTarget target;
    private AckTarget[] targets = NO_TARGETS;
    private long[] tokens;
    private @Nullable BatchPool home;
    /** The epoch in which the arrays of a pooled batch were created. */
    @Nullable
    CollectionEpoch madeIn;

    private static final AckTarget[] NO_TARGETS = {};
    static final Object[] NO_VALUES = {};
    private static final Object[] NULLS = new Object[DEFAULT_CAPACITY];

    /** Creates an empty batch with room for {@code capacity} elements; it grows when needed. */
    public Batch(int capacity) {
        this(new Object[capacity], 0, AckTarget.NONE, NO_TOKENS);
    }

    /** An empty batch without arrays, for a pool to {@link #equip}. */
    Batch() {
        this(NO_VALUES, 0, AckTarget.NONE, NO_TOKENS);
    }

    /** Gives these arrays to this empty batch; {@link #release} returns them to {@code pool}. */
    void equip(Object[] itsValues, long[] itsTokens, BatchPool pool, CollectionEpoch itsMadeIn) {
        values = itsValues;
        tokens = itsTokens;
        home = pool;
        madeIn = itsMadeIn;
        // A caller may have added elements to a released batch.
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
     * Wraps arrays of elements that one target emitted. The arrays then belong to the batch.
     *
     * @param tokens one for each of the {@code size} elements
     */
    public static <T> Batch<T> of(Object[] values, int size, AckTarget target, long[] tokens) {
        return new Batch<>(values, size, target, tokens);
    }

    /** Wraps an array of elements without acknowledgements. The array then belongs to the batch. */
    public static <T> Batch<T> unacknowledged(Object[] values, int size) {
        return new Batch<>(values, size, AckTarget.NONE, NO_TOKENS);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Resets the progress at the start of a pass over the elements. */
    void rewind() {
        at = 0;
    }

    /** Estimates the number of elements done in the current pass. Any thread. */
    int passed() {
        return Math.min(at, size);
    }

    @SuppressWarnings("unchecked") // only T values are stored while the batch is a Batch<T>
    public T get(int index) {
        at = index;
        return (T) values[index];
    }

    /** The target of the element at {@code index}. */
    public AckTarget target(int index) {
        return targets.length == 0 ? target : targets[index];
    }

    /** The token of the element at {@code index} with its {@link #target}; 0 if it has no acknowledgement. */
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
     * Ends one pending acknowledgement of the element at {@code index}, which lies beyond the end; see {@link
     * AckTarget#forgo}.
     */
    public void forgo(int index) {
        target(index).forgo(token(index));
    }

    /**
     * Abandons the pending acknowledgement of each element because its holder was closed; see {@link
     * AckTarget#abandon}.
     */
    public void abandonAll() {
        abandonFrom(0);
    }

    /** Abandons the pending acknowledgements of the elements from {@code first} on; see {@link #abandonAll}. */
    public void abandonFrom(int first) {
        abandon(first, size);
    }

    /**
     * Abandons the elements before {@code kept}, which were about to pass on, and those from {@code first} on. Elements
     * between are settled.
     */
    public void abandonAllBut(int kept, int first) {
        abandon(0, kept);
        abandon(first, size);
    }

    private void abandon(int from, int to) {
        for (int i = from; i < to; i++) {
            target(i).abandon(token(i));
        }
    }

    /**
     * Returns whether the element at {@code index} must be dropped because its source has lost it, and ends one pending
     * acknowledgement if so; see {@link AckTarget#dropIfRevoked}.
     */
    public boolean dropIfRevoked(int index) {
        AckTarget to = target(index);
        return to != AckTarget.NONE && to.dropIfRevoked(tokens[index]);
    }

    /** Returns whether the source of the element at {@code index} has lost it; see {@link AckTarget#isRevoked}. */
    public boolean isRevoked(int index) {
        AckTarget to = target(index);
        return to != AckTarget.NONE && to.isRevoked(tokens[index]);
    }

    /**
     * Removes and returns the elements that their source has lost; the caller must drop them. Both these and the
     * remaining elements keep their order.
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

    /** Ends one pending acknowledgement of each element if its source has lost it. */
    public void dropAllRevoked() {
        for (int i = 0; i < size; i++) {
            boolean ignored = dropIfRevoked(i);
        }
    }

    /** The index of the first element that {@linkplain AckTarget#standsFor stands for} the given one, or -1. */
    public int find(AckTarget of, long ofToken) {
        for (int i = 0; i < size; i++) {
            if (target(i).standsFor(token(i), of, ofToken)) {
                return i;
            }
        }
        return -1;
    }

    /** Replaces the target of each element by the result of {@code change}. */
    public void retarget(UnaryOperator<AckTarget> change) {
        if (targets.length == 0) {
            target = change.apply(target);
            return;
        }
        for (int i = 0; i < size; i++) {
            targets[i] = change.apply(targets[i]);
        }
    }

    /** Replaces each target, calling {@code change} for each element even if several share a target. */
    public void retargetEach(UnaryOperator<AckTarget> change) {
        splitTargets();
        retarget(change);
    }

    /** Ends one pending acknowledgement of each element. */
    public void ackAll() {
        if (targets.length != 0) {
            for (int i = 0; i < size; i++) {
                ack(i);
            }
        } else if (target != AckTarget.NONE) {
            AckTarget to = target;
            for (int i = 0; i < size; i++) {
                to.ack(tokens[i]);
            }
        }
    }

    /** Adds pending acknowledgements to each element. Call before handing out copies. */
    public void retainAll(int count) {
        if (targets.length == 0 && target == AckTarget.NONE) {
            return;
        }
        for (int i = 0; i < size; i++) {
            target(i).retain(token(i), count);
        }
    }

    /** Returns another batch of the same elements; see {@link #retainAll}. */
    public Batch<T> copy() {
        Batch<T> copy = new Batch<>(values.clone(), size, target, tokens.length == 0 ? tokens : tokens.clone());
        copy.targets = targets.length == 0 ? targets : targets.clone();
        return copy;
    }

    /** Replaces the value at {@code index}; its acknowledgement stays. See {@link #retyped}. */
    public void set(int index, Object value) {
        values[index] = value;
    }

    /** This batch under the type of the values that have just been {@link #set}. */
    @SuppressWarnings("unchecked") // the caller has replaced every value
    public <R> Batch<R> retyped() {
        return (Batch<R>) this;
    }

    /** Moves the element at {@code from} down to {@code to}, for filters that close gaps. The two may be equal. */
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

    /** Drops the first {@code count} elements, without acknowledging them. */
    public void removeFirst(int count) {
        for (int i = count; i < size; i++) {
            move(i, i - count);
        }
        truncate(size - count);
    }

    /** Drops the elements from {@code newSize} on, without acknowledging them. */
    public void truncate(int newSize) {
        if (newSize == size) {
            return;
        }
        clear(values, newSize, size);
        size = newSize;
    }

    /** Fills a range with null by a copy, because G1 needs one barrier for a copy but one per store for Arrays.fill. */
    private static void clear(Object[] values, int from, int to) {
        for (int at = from; at < to; at += NULLS.length) {
            System.arraycopy(NULLS, 0, values, at, Math.min(NULLS.length, to - at));
        }
    }

    /** Appends an element without an acknowledgement. */
    public void add(Object value) {
        add(value, AckTarget.NONE, 0);
    }

    /** Appends an element with its pending acknowledgement. */
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
     * ends. If the iterator throws, the elements before stay in the batch.
     *
     * @param stopped checked before each element; true ends the loop
     * @return false if the iterator has ended; true if it may have more
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
     * Appends the elements that were {@link #set} between the size and {@code end}, which share an acknowledgement. The
     * limit is the capacity that the batch was created with.
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
     * Releases a batch whose owner is done with every element. Its arrays return to their pool for reuse, and the batch
     * becomes empty. Acknowledges nothing. If released on the thread that filled it, the batch object itself is reused
     * by the next pull, so it must not be used any more. An unreleased batch only costs garbage, so if in doubt, do not
     * release.
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
