package dev.weir.stream.spi;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A run of elements with, beside each, where its acknowledgement goes: a struct of arrays, no object per element.
 * Confined to one thread at a time: the stage that pulled a batch owns it, may change it in place, and gives it up by
 * handing it on. The last owner may {@link #release} it.
 *
 * <pre>
 *   values   | v0 | v1 | v2 | ... |          size used
 *   targets  | one for all, or one each |    who emitted the element
 *   tokens   | t0 | t1 | t2 | ... |          which element of that emitter
 * </pre>
 */
public final class Batch<T> {

    /** The number of elements a batch holds unless its maker has a reason for another size. */
    public static final int DEFAULT_CAPACITY = 512;

    static final long[] NO_TOKENS = {};

    private Object[] values;
    private int size;

    /** The element that was got last: how far its owner has come. Read by others as an estimate. */
    private int at;

    // Either `target` serves all elements and `targets` is empty, or `targets` holds one for each.
    private AckTarget target;
    private AckTarget[] targets = NO_TARGETS;
    private long[] tokens;
    private @Nullable BatchPool home;
    /** The time when the arrays of a pool's batch were made. */
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

    /** Makes this an empty batch with these arrays, which go back to {@code pool} at {@link #release}. */
    void equip(Object[] itsValues, long[] itsTokens, BatchPool pool, CollectionEpoch itsMadeIn) {
        values = itsValues;
        tokens = itsTokens;
        home = pool;
        madeIn = itsMadeIn;
        // Somebody may have added to a batch that was released.
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
     * Wraps arrays, which then belong to the batch, of elements that one target emitted.
     *
     * @param tokens one for each of the {@code size} elements
     */
    public static <T> Batch<T> of(Object[] values, int size, AckTarget target, long[] tokens) {
        return new Batch<>(values, size, target, tokens);
    }

    /** Wraps an array, which then belongs to the batch, of elements that nobody waits for. */
    public static <T> Batch<T> unacknowledged(Object[] values, int size) {
        return new Batch<>(values, size, AckTarget.NONE, NO_TOKENS);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** The owner begins a pass over the elements. */
    void rewind() {
        at = 0;
    }

    /** The number of elements its owner has done in the pass under way. Any thread; an estimate. */
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

    /** The token of the element at {@code index} with its {@link #target}; 0 if nobody waits for it. */
    public long token(int index) {
        return tokens.length == 0 ? 0 : tokens[index];
    }

    /** Ends one claim on the element at {@code index}. */
    public void ack(int index) {
        AckTarget to = target(index);
        if (to != AckTarget.NONE) {
            to.ack(tokens[index]);
        }
    }

    /** Ends one claim on the element at {@code index}, which lies beyond the end; see {@link AckTarget#forgo}. */
    public void forgo(int index) {
        target(index).forgo(token(index));
    }

    /** Gives up the claim on each element, as its holder was closed; see {@link AckTarget#abandon}. */
    public void abandonAll() {
        abandonFrom(0);
    }

    /** Gives up the claims on the elements from {@code first} on, as {@link #abandonAll} does. */
    public void abandonFrom(int first) {
        abandon(first, size);
    }

    /**
     * Abandons the elements before {@code kept}, which were to go on, and those from {@code first} on; elements between
     * are settled.
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
     * Returns whether the element at {@code index} is not to be worked on any more; see {@link
     * AckTarget#dropIfRevoked}.
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
     * Takes the elements out whose source has lost them; the caller is to drop them. They keep their order, as do the
     * others.
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

    /** Ends one claim on each element if its source has lost it. */
    public void dropAllRevoked() {
        for (int i = 0; i < size; i++) {
            boolean ignored = dropIfRevoked(i);
        }
    }

    /** The first element here that {@linkplain AckTarget#standsFor stands for} that of a target, or -1. */
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

    /** Replaces each target, asking {@code change} for each element though several may have one target. */
    public void retargetEach(UnaryOperator<AckTarget> change) {
        splitTargets();
        retarget(change);
    }

    /** Ends one claim on each element. */
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

    /** Adds claims to each element: before copies of it are handed out. */
    public void retainAll(int claims) {
        if (targets.length == 0 && target == AckTarget.NONE) {
            return;
        }
        for (int i = 0; i < size; i++) {
            target(i).retain(token(i), claims);
        }
    }

    /** Another batch of the same elements; see {@link #retainAll}. */
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

    /** Moves the element at {@code from} down to {@code to}: how a filter closes gaps. It may be there already. */
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

    /** Drops everything from {@code newSize} on, without acknowledging it. */
    public void truncate(int newSize) {
        if (newSize == size) {
            return;
        }
        clear(values, newSize, size);
        size = newSize;
    }

    /** As Arrays.fill with null, of which G1 makes a store with a barrier for each: a copy has one for all. */
    private static void clear(Object[] values, int from, int to) {
        for (int at = from; at < to; at += NULLS.length) {
            System.arraycopy(NULLS, 0, values, at, Math.min(NULLS.length, to - at));
        }
    }

    /** Appends an element that nobody waits for. */
    public void add(Object value) {
        add(value, AckTarget.NONE, 0);
    }

    /** Appends an element with its claim. */
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
     * Appends elements that share a claim, until the batch holds {@code limit} of them or there are none. An exception
     * of the iterator is thrown after the elements before it, which stay.
     *
     * @param stopped asked before each element; no more is asked for once it says so
     * @return false if the iterator has no more; true if that is not known
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
     * Appends the elements that have been {@link #set} in the places from the size up to {@code end}, which share a
     * claim. There is room for as many as the batch was made for.
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
     * Gives the batch up without handing it on: its owner is done with every element. Its arrays go back to where they
     * came from, to be filled anew; it is empty from now on. Acknowledges nothing. On the thread that the batch was
     * filled on, the batch itself is filled anew by the next pull: nothing may use it then. Not to release a batch
     * costs garbage and nothing else, so leave it in doubt.
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
