package dev.weir.stream.internal.interop;

import dev.weir.stream.spi.Batch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One subscriber of a {@link FanoutSink} and its demand. The subscriber may call from any thread; signals to it come
 * from the segment's thread, or from a thread that acts for it while the segment waits above.
 */
final class FanoutSubscription<T> implements Flow.Subscription {

    private static final long VIOLATED = -1;

    private final FanoutSink<T> fanout;

    /** The subscriber; null once it wants no more, so that it can be garbage-collected. */
    private final AtomicReference<Flow.@Nullable Subscriber<? super T>> subscriber;

    /** The total demand ever requested, up to {@link Long#MAX_VALUE}, or VIOLATED. Written under the fan-out's lock. */
    private volatile long requested;

    // Accessed only by the segment's thread.
    private long delivered;
    private int position;

    FanoutSubscription(FanoutSink<T> fanout, Flow.Subscriber<? super T> subscriber) {
        this.fanout = fanout;
        this.subscriber = new AtomicReference<>(subscriber);
    }

    boolean isLive() {
        return subscriber.get() != null;
    }

    /** The number of elements of the batch already handed to the subscriber. */
    int position() {
        return position;
    }

    /** Moves to an element of a batch. */
    void startAt(int element) {
        position = element;
    }

    /** Returns whether the subscriber has requested the next element of the batch, and there is one. */
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
            // A subscriber that throws counts as cancelled and gets no further signals.
            subscriber.set(null);
            throw broken;
        }
        position++;
    }

    /** Signals an error to a subscriber that broke rule 3.9, and drops it. */
    void refuseIfViolated() {
        if (requested == VIOLATED) {
            end(new IllegalArgumentException("a subscriber must request at least 1 element (rule 3.9)"));
        }
    }

    /** Ends the subscription, normally if {@code failure} is null. */
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

    /** Adds demand. Returns whether the request was within the rules. Under the fan-out's lock. */
    boolean add(long elements) {
        if (requested != VIOLATED) {
            long sum = requested + elements;
            requested = elements < 1 ? VIOLATED : sum < 0 ? Long.MAX_VALUE : sum;
        }
        return requested != VIOLATED;
    }

    /** Drops the subscriber. Under the fan-out's lock. */
    void letGo() {
        subscriber.set(null);
    }
}
