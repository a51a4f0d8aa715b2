package dev.weir.drivers.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Keeps what is sent from ending before each record has its result. The library drops the last results if a callback
 * has found nothing in flight, then others are sent, and the end comes before that callback has looked for it
 * (reactor-kafka 1.3.25, {@code SendSubscriber}): their records are in the topic, and nobody hears of it.
 * Thread-safe; for one run.
 */
final class Results {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong heard = new AtomicLong();
    private final CompletableFuture<Void> last = new CompletableFuture<>();

    private volatile boolean ended;

    /** The same records; it completes when they have and each has its result. */
    <T> Flux<T> endingWithLast(Flux<T> records) {
        return records.doOnNext(record -> sent.incrementAndGet())
                .doOnComplete(() -> {
                    ended = true;
                    endIfLast();
                })
                .concatWith(Mono.fromFuture(last).then(Mono.empty()));
    }

    /** A record has its result. */
    void came() {
        heard.incrementAndGet();
        endIfLast();
    }

    // Either who ends sees the last result, or who hears of that sees the end.
    private void endIfLast() {
        if (ended && heard.get() == sent.get()) {
            last.complete(null);
        }
    }
}
