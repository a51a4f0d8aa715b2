package dev.weir.stream;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The order that a parallel stage preserves. Immutable.
 *
 * <ul>
 *   <li>{@link #input()}: results are emitted in the order of the input elements.
 *   <li>{@link #byKey}: elements with the same key are processed one after the other and emitted in order; elements
 *       with different keys may overtake each other. Keys are compared by hash: two keys with the same hash wait for
 *       each other, which costs time but never breaks the order.
 *   <li>{@link #unordered()}: results are emitted as soon as they are ready.
 * </ul>
 */
public final class Ordering<T> {

    /** The hash of elements without a key. An ordering by key or hash does not order such elements. */
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

    /** Orders elements by the {@code hashCode} of their keys. An element whose key is null is not ordered. */
    public static <T> Ordering<T> byKey(Function<? super T, ? extends @Nullable Object> key) {
        Objects.requireNonNull(key, "key");
        return byHash(element -> {
            Object value = key.apply(element);
            return value == null ? NO_KEY : value.hashCode();
        });
    }

    /** Orders elements by a hash. An element with hash {@link #NO_KEY} is not ordered. */
    public static <T> Ordering<T> byHash(ToLongFunction<? super T> hash) {
        return new Ordering<>(false, true, Objects.requireNonNull(hash, "hash"));
    }

    /** Returns this ordering with a name for its key in diagnostic messages. Default: {@code key}. */
    public Ordering<T> calledBy(String name) {
        return new Ordering<>(inputOrder, keyed, key, Objects.requireNonNull(name, "name"));
    }

    /** The name of the key in diagnostic messages. */
    public String keyName() {
        return keyName;
    }

    /** Returns whether results are emitted in the order of the input. */
    public boolean isInput() {
        return inputOrder;
    }

    /** Returns whether elements have keys. If not, {@link #keyOf} always returns {@link #NO_KEY}. */
    public boolean isKeyed() {
        return keyed;
    }

    /** Returns the hash of the element's key, or {@link #NO_KEY} if the element has no key. */
    public long keyOf(T element) {
        return key.applyAsLong(element);
    }
}
