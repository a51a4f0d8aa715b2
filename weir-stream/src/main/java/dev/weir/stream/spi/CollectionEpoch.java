package dev.weir.stream.spi;

import java.lang.ref.WeakReference;

/**
 * The time between two garbage collections: objects made in it that have not been collected are young until
 * {@link #isOver}. Thread-safe.
 */
final class CollectionEpoch {

    // Several may be current when threads meet here, which does no harm.
    private static volatile CollectionEpoch current = new CollectionEpoch();

    /** Reference to an object that nobody else refers to: the next collection, however small, clears it. */
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
