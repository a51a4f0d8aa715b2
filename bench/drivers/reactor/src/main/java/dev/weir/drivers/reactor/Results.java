package dev.weir.drivers.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Delays the end of the stream of sent records until each record has its result. Otherwise reactor-kafka 1.3.25
 * ({@code SendSubscriber}) drops the last results in the following sequence: a callback finds nothing in flight, other
 * records are sent, and the stream ends before the callback checks for the end of the stream. The records are then in
 * the topic, but their results are never reported. Thread-safe; for one run.
 */
final class Results {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong heard = new AtomicLong();
    private final CompletableFuture<Void> last = new CompletableFuture<>();

    private volatile boolean ended;

    /**
     * Returns a stream of the same records. It completes when {@code records} has completed and each record has its
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

    /** Counts a result. Call it once for each sent record. */
    void came() {
        heard.incrementAndGet();
        endIfLast();
    }

    // Called by both the thread that ends the stream and the threads that receive results, because either can be the
    // last.
    private void endIfLast() {
        if (ended && heard.get() == sent.get()) {
            last.complete(null);
        }
    }
}
