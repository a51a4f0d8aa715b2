package dev.weir.drivers.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Delays the end of the stream of sent records until each record has its result. Without the delay, reactor-kafka
 * 1.3.25 ({@code SendSubscriber}) can drop the last results. Thread-safe; for one run.
 */
final class Results {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong heard = new AtomicLong();
    private final CompletableFuture<Void> last = new CompletableFuture<>();

    private volatile boolean ended;

    /** Returns a stream of the same records that completes after {@code records} and all results. */
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

    // Called by the thread that ends the stream and by threads that receive results.
    private void endIfLast() {
        if (ended && heard.get() == sent.get()) {
            last.complete(null);
        }
    }
}
