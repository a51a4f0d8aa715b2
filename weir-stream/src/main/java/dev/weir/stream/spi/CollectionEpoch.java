package dev.weir.stream.spi;

import java.lang.ref.WeakReference;

/** The period between two garbage collections: objects created in it are young until {@link #isOver}. Thread-safe. */
final class CollectionEpoch {

    // Concurrent threads may create several current epochs, which is harmless.
    private static volatile CollectionEpoch current = new CollectionEpoch();

    /** A weak reference to an otherwise unreachable object; the next collection, even a minor one, clears it. */
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
