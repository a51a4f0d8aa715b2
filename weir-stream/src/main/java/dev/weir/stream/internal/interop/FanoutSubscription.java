package dev.weir.stream.internal.interop;

import dev.weir.stream.spi.Batch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One subscriber of a {@link FanoutSink} and its demand. The subscriber may call this object from any thread. The
 * sink's thread calls {@code onNext}; other threads may signal the end.
 */
final class FanoutSubscription<T> implements Flow.Subscription {

    private static final long VIOLATED = -1;

    private final FanoutSink<T> fanout;

    /** The subscriber; null once it needs no more elements. */
    private final AtomicReference<Flow.@Nullable Subscriber<? super T>> subscriber;

    /**
     * Total demand so far, up to {@link Long#MAX_VALUE}, or VIOLATED. Written only while holding the fan-out's lock.
     */
    private volatile long requested;

    // Accessed only by the sink's thread.
    private long delivered;
    private int position;

    FanoutSubscription(FanoutSink<T> fanout, Flow.Subscriber<? super T> subscriber) {
        this.fanout = fanout;
        this.subscriber = new AtomicReference<>(subscriber);
    }

    boolean isLive() {
        return subscriber.get() != null;
    }

    /** Number of elements of the current batch that the subscriber has received. */
    int position() {
        return position;
    }

    /** Sets the index of the subscriber's next element in the current batch. */
    void startAt(int element) {
        position = element;
    }

    /** Returns whether the batch has a next element and the subscriber has requested it. */
    boolean wants(Batch<T> batch) {
        refuseIfViolated();
        return isLive() && position < batch.size() && delivered != requested;
    }

    /** Gives the subscriber the next element of the batch, unless it has cancelled. */
    void give(Batch<T> batch) {
        Flow.Subscriber<? super T> to = subscriber.get();
        if (to == null) {
            return;
        }
        delivered++;
        try {
            to.onNext(batch.get(position));
        } catch (Throwable broken) {
            // A subscriber that throws counts as cancelled and receives no further signals.
            subscriber.set(null);
            throw broken;
        }
        position++;
    }

    /**
     * Signals an error to a subscriber that has requested less than 1 element (rule 3.9 of Reactive Streams), and drops
     * it.
     */
    void refuseIfViolated() {
        if (requested == VIOLATED) {
            end(new IllegalArgumentException("a subscriber must request at least 1 element (rule 3.9)"));
        }
    }

    /** Ends the subscription, with an error if {@code failure} is not null. */
    void end(@Nullable Throwable failure) {
        Flow.Subscriber<? super T> to = subscriber.getAndSet(null);
        if (to != null) {
            if (failure == null) {
                to.onComplete();
            } else {
                to.onError(failure);
            }
        }
    }

    @Override
    public void request(long elements) {
        fanout.request(this, elements);
    }

    @Override
    public void cancel() {
        fanout.cancel(this);
    }

    /** Adds demand. Returns false if a request was for less than 1 element. Called with the fan-out's lock held. */
    boolean add(long elements) {
        if (requested != VIOLATED) {
            long sum = requested + elements;
            requested = elements < 1 ? VIOLATED : sum < 0 ? Long.MAX_VALUE : sum;
        }
        return requested != VIOLATED;
    }

    /** Drops the subscriber. Called with the fan-out's lock held. */
    void letGo() {
        subscriber.set(null);
    }
}
