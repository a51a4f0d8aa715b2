package dev.weir.examples.formats;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A pool of serdes. It never gives the same serde to two concurrent calls, because Kafka's serdes need not be
 * thread-safe and handlers run on many threads. It keeps all serdes that it has created. Thread-safe.
 */
final class Pool<S> {

    private final Supplier<S> maker;
    private final Deque<S> idle = new ConcurrentLinkedDeque<>();

    Pool(Supplier<S> maker) {
        this.maker = maker;
    }

    /**
     * Calls a function with a serde from the pool. It prefers the most recently used serde, which has probably already
     * cached the schemas.
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
