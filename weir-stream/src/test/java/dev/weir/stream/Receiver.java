package dev.weir.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber that requests {@code portion} elements at a time, and records elements and protocol violations.
 * Configure it before it subscribes. Read its fields after {@link #ended}; {@link #returned} may be read at any time.
 */
final class Receiver<T> implements Flow.Subscriber<T> {

    private final long portion;
    private final Consumer<T> consumer;
    private final AtomicInteger inside = new AtomicInteger();

    final List<T> seen = new ArrayList<>();
    final List<String> breaches = new ArrayList<>();
    final AtomicInteger returned = new AtomicInteger();

    /** Completes with null, or with the signalled failure. */
    final CompletableFuture<@Nullable Throwable> ended = new CompletableFuture<>();

    volatile Flow.@Nullable Subscription subscription;
    private long outstanding;

    /**
     * Creates a subscriber.
     *
     * @param portion number of elements to request at once; 0 leaves requests to the test
     */
    Receiver(long portion, Consumer<T> consumer) {
        this.portion = portion;
        this.consumer = consumer;
    }

    static <T> Receiver<T> asking(long portion) {
        return new Receiver<>(portion, element -> {});
    }

    Flow.Subscription subscription() {
        Flow.Subscription present = subscription;
        if (present == null) {
            throw new AssertionError("not subscribed");
        }
        return present;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        enter("onSubscribe");
        subscription = given;
        ask(given);
        inside.decrementAndGet();
    }

    private void ask(Flow.Subscription of) {
        if (portion > 0) {
            outstanding = portion;
            of.request(portion);
        }
    }

    @Override
    public void onNext(T element) {
        enter("onNext");
        try {
            if (portion > 0 && --outstanding < 0) {
                breaches.add("more than was requested");
            }
            seen.add(element);
            consumer.accept(element);
            if (portion > 0 && outstanding == 0) {
                ask(subscription());
            }
            returned.incrementAndGet();
        } finally {
            inside.decrementAndGet();
        }
    }

    @Override
    public void onError(Throwable failure) {
        enter("onError");
        end(failure);
    }

    @Override
    public void onComplete() {
        enter("onComplete");
        end(null);
    }

    private void end(@Nullable Throwable failure) {
        if (!ended.complete(failure)) {
            breaches.add("a second end");
        }
        inside.decrementAndGet();
    }

    private void enter(String signal) {
        if (inside.incrementAndGet() != 1) {
            breaches.add(signal + " while another signal was under way");
        }
        if (ended.isDone()) {
            breaches.add(signal + " after the end");
        }
        if (Thread.currentThread().isInterrupted()) {
            breaches.add(signal + " on an interrupted thread");
        }
    }
}
