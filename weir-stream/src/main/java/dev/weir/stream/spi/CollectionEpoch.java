package dev.weir.stream.spi;

import java.lang.ref.WeakReference;

/**
 * The period between two garbage collections. Objects created in an epoch are young until {@link #isOver} returns true.
 * Thread-safe.
 */
final class CollectionEpoch {

    // Concurrent threads may each create a new current epoch, which is harmless.
    private static volatile CollectionEpoch current = new CollectionEpoch();

    /** A weak reference to an unreachable object. The next garbage collection clears it, even a minor one. */
    private final WeakReference<Object> untilCollection = new WeakReference<>(new Object());

    private CollectionEpoch() {}

    static CollectionEpoch current() {
        CollectionEpoch now = current;
        if (now.isOver()) {
            now = new CollectionEpoch();
            current = now;
        }
        return now;
    }

    boolean isOver() {
        return untilCollection.refersTo(null);
    }
}
