package dev.weir.examples.formats;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Gives each serde to only one call at a time, because Kafka's serdes promise no thread safety, and handlers run on
 * many threads. Thread-safe. It keeps as many serdes as were ever needed at once.
 */
final class Pool<S> {

    private final Supplier<S> maker;
    private final Deque<S> idle = new ConcurrentLinkedDeque<>();

    Pool(Supplier<S> maker) {
        this.maker = maker;
    }

    /**
     * Calls a function with a serde from the pool. It prefers the most recently used one, which already knows the
     * schemas.
     */
    <R> R with(Function<S, R> call) {
        S one = idle.pollFirst();
        if (one == null) {
            one = maker.get();
        }
        try {
            return call.apply(one);
        } finally {
            idle.addFirst(one);
        }
    }
}
