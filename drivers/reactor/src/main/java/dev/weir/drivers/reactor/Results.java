package dev.weir.drivers.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Delays the end of the stream of sent records until each record has its result. In reactor-kafka 1.3.25
 * ({@code SendSubscriber}), the library otherwise drops the last results in this sequence: a callback finds nothing in
 * flight, other records are sent, and the stream ends before the callback has checked for the end. The records are then
 * in the topic, but nobody gets their results. Thread-safe; for one run.
 */
final class Results {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong heard = new AtomicLong();
    private final CompletableFuture<Void> last = new CompletableFuture<>();

    private volatile boolean ended;

    /**
     * Returns the same records in a stream that completes when the given stream has completed and each record has its
     * result.
     */
    <T> Flux<T> endingWithLast(Flux<T> records) {
        return records.doOnNext(record -> sent.incrementAndGet())
                .doOnComplete(() -> {
                    ended = true;
                    endIfLast();
                })
                .concatWith(Mono.fromFuture(last).then(Mono.empty()));
    }

    /** Notes that a record has its result. */
    void came() {
        heard.incrementAndGet();
        endIfLast();
    }

    // Two threads can be last: the thread that ends the stream sees the last result, or the thread with the last result
    // sees the end.
    private void endIfLast() {
        if (ended && heard.get() == sent.get()) {
            last.complete(null);
        }
    }
}
