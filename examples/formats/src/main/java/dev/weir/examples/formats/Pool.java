package dev.weir.examples.formats;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Gives a serde to one call at a time: Kafka's serdes promise no thread safety, and handlers run on many threads.
 * Thread-safe; keeps as many serdes as were ever needed at once.
 */
final class Pool<S> {

    private final Supplier<S> maker;
    private final Deque<S> idle = new ConcurrentLinkedDeque<>();

    Pool(Supplier<S> maker) {
        this.maker = maker;
    }

    /**
     * Calls a function with a serializer of the pool. The most recently used one comes first: it knows the schemas
     * already.
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
