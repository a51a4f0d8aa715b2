package dev.weir.stream;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The order that a parallel stage keeps. Immutable.
 *
 * <ul>
 *   <li>{@link #input()}: results leave in the order in which the elements came.
 *   <li>{@link #byKey}: elements of one key are worked on one after the other and leave in their order; keys overtake
 *       each other. Keys are compared by hash: two colliding keys wait for each other, which costs time but never
 *       order.
 *   <li>{@link #unordered()}: results leave as soon as they are ready.
 * </ul>
 */
public final class Ordering<T> {

    /** The hash for elements without a key: they keep no order among themselves. */
    public static final long NO_KEY = Long.MIN_VALUE;

    private static final Ordering<Object> INPUT = new Ordering<>(true, false, element -> NO_KEY);
    private static final Ordering<Object> UNORDERED = new Ordering<>(false, false, element -> NO_KEY);

    private final boolean inputOrder;
    private final boolean keyed;
    private final ToLongFunction<? super T> key;
    private final String keyName;

    private Ordering(boolean inputOrder, boolean keyed, ToLongFunction<? super T> key) {
        this(inputOrder, keyed, key, "key");
    }

    private Ordering(boolean inputOrder, boolean keyed, ToLongFunction<? super T> key, String keyName) {
        this.inputOrder = inputOrder;
        this.keyed = keyed;
        this.key = Objects.requireNonNull(key, "key");
        this.keyName = Objects.requireNonNull(keyName, "keyName");
    }

    @SuppressWarnings("unchecked") // the function ignores the element
    public static <T> Ordering<T> input() {
        return (Ordering<T>) INPUT;
    }

    @SuppressWarnings("unchecked") // the function ignores the element
    public static <T> Ordering<T> unordered() {
        return (Ordering<T>) UNORDERED;
    }

    /** Orders by the {@code hashCode} of a key; a null key means that the element keeps no order. */
    public static <T> Ordering<T> byKey(Function<? super T, ? extends @Nullable Object> key) {
        Objects.requireNonNull(key, "key");
        return byHash(element -> {
            Object value = key.apply(element);
            return value == null ? NO_KEY : value.hashCode();
        });
    }

    /** Orders by a hash computed from the element, or {@link #NO_KEY}. */
    public static <T> Ordering<T> byHash(ToLongFunction<? super T> hash) {
        return new Ordering<>(false, true, Objects.requireNonNull(hash, "hash"));
    }

    /** The same order with a name for its key in diagnoses. Default: {@code key}. */
    public Ordering<T> calledBy(String name) {
        return new Ordering<>(inputOrder, keyed, key, Objects.requireNonNull(name, "name"));
    }

    /** The name of the key in diagnoses. */
    public String keyName() {
        return keyName;
    }

    /** Returns whether results leave in the order of the input. */
    public boolean isInput() {
        return inputOrder;
    }

    /** Returns whether elements have keys; otherwise {@link #keyOf} is {@link #NO_KEY} for all. */
    public boolean isKeyed() {
        return keyed;
    }

    /** The hash that orders {@code element}, or {@link #NO_KEY}. */
    public long keyOf(T element) {
        return key.applyAsLong(element);
    }
}
