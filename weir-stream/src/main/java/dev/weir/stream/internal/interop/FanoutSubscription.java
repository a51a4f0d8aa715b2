package dev.weir.stream.internal.interop;

import dev.weir.stream.spi.Batch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One subscriber of a {@link FanoutSink} and what it has asked for. The subscriber's calls may come from any thread;
 * what is signalled to it comes from the segment's thread, or from one that stands in for it while that thread waits
 * above.
 */
final class FanoutSubscription<T> implements Flow.Subscription {

    private static final long VIOLATED = -1;

    private final FanoutSink<T> fanout;

    /** Null once it wants nothing more: then nothing refers to it from here. */
    private final AtomicReference<Flow.@Nullable Subscriber<? super T>> subscriber;

    /** All that was ever requested, up to {@link Long#MAX_VALUE}, or VIOLATED. Written under the fan-out's lock. */
    private volatile long requested;

    // Segment's thread.
    private long delivered;
    private int position;

    FanoutSubscription(FanoutSink<T> fanout, Flow.Subscriber<? super T> subscriber) {
        this.fanout = fanout;
        this.subscriber = new AtomicReference<>(subscriber);
    }

    boolean isLive() {
        return subscriber.get() != null;
    }

    /** The number of elements of the batch it has been given. */
    int position() {
        return position;
    }

    /** Goes to an element of a batch. */
    void startAt(int element) {
        position = element;
    }

    /** Returns whether it has asked for the next element of the batch, and there is one. */
    boolean wants(Batch<T> batch) {
        refuseIfViolated();
        return isLive() && position < batch.size() && delivered != requested;
    }

    /** Gives it the next element of the batch, unless it has cancelled. */
    void give(Batch<T> batch) {
        Flow.Subscriber<? super T> to = subscriber.get();
        if (to == null) {
            return;
        }
        delivered++;
        try {
            to.onNext(batch.get(position));
        } catch (Throwable broken) {
            // A subscriber that throws counts as cancelled: it is told nothing more.
            subscriber.set(null);
            throw broken;
        }
        position++;
    }

    /** Tells a subscriber that broke rule 3.9, and lets go of it. */
    void refuseIfViolated() {
        if (requested == VIOLATED) {
            end(new IllegalArgumentException("a subscriber must request at least 1 element (rule 3.9)"));
        }
    }

    /** Ends it, normally if {@code failure} is null. */
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

    /** Under the fan-out's lock. Returns whether that was within the rules. */
    boolean add(long elements) {
        if (requested != VIOLATED) {
            long sum = requested + elements;
            requested = elements < 1 ? VIOLATED : sum < 0 ? Long.MAX_VALUE : sum;
        }
        return requested != VIOLATED;
    }

    /** Under the fan-out's lock. */
    void letGo() {
        subscriber.set(null);
    }
}
