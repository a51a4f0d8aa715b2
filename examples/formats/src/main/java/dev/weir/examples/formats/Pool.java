package dev.weir.examples.formats;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A pool of serdes for concurrent calls. Kafka's serdes need not be thread-safe, so each is used by one call at a time.
 * Keeps all serdes that it has created. Thread-safe.
 */
final class Pool<S> {

    private final Supplier<S> maker;
    private final Deque<S> idle = new ConcurrentLinkedDeque<>();

    Pool(Supplier<S> maker) {
        this.maker = maker;
    }

    /** Calls a function with the most recently used free serde, which has probably cached the schemas. */
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
