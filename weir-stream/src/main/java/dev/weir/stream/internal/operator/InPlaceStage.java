package dev.weir.stream.internal.operator;

import dev.weir.stream.Handler;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * A stage that processes the elements of each batch in place: it replaces or drops them, and adds elements only at the
 * end. Confined to its segment's thread.
 *
 * <p>A failure of the stage follows the elements that preceded it. When the stage ends by itself, it closes the
 * upstream stage at once and forgoes the elements after the end.
 */
public abstract class InPlaceStage<T, R> implements Stage<R> {

    /** Stands for a missing result of the function. */
    static final Object NOTHING = new Object();

    private final Stage<T> upstream;
    private final StageMeter meter;
    private final Clock clock;
    private final SupervisedCall supervised;

    private final HeldElements inside;

    private boolean ended;
    private boolean upstreamClosed;
    private @Nullable Throwable failure;

    protected InPlaceStage(StageWiring<T> wiring) {
        this.upstream = wiring.upstream();
        this.meter = wiring.meter();
        this.clock = wiring.clock();
        this.supervised = wiring.supervised();
        this.inside = new HeldElements(meter);
    }

    /**
     * Processes a non-empty batch. The elements to emit are moved to its front; the others are acknowledged. Elements
     * after the end are passed to {@link #end(Batch, int)}. After a failure, the failed element and all later ones are
     * abandoned.
     *
     * @return number of elements to emit
     */
    protected abstract int rework(Batch<T> batch) throws InterruptedException;

    /**
     * Returns the batch to emit after the last element, or null. Called once, when the upstream stage has ended
     * normally.
     */
    @Nullable
    Batch<R> last() {
        return null;
    }

    /** Discards the state left by earlier elements. */
    void restart() {}

    /** Ends a stream that has no elements to forgo. */
    final void end() {
        ended = true;
    }

    /** Ends the stream after this batch. The elements from index {@code beyond} on are forgone. */
    final void end(Batch<T> batch, int beyond) {
        ended = true;
        for (int i = beyond; i < batch.size(); i++) {
            batch.forgo(i);
        }
    }

    /**
     * Fails the stream at the element at {@code index}, after the preceding elements of this batch have been emitted.
     */
    final void fail(Throwable cause, Batch<T> batch, int index) {
        failure = cause;
        batch.abandonFrom(index);
    }

    /**
     * Passes an exception of the user's function to the supervision, which may retry.
     *
     * @param call the function call that threw, to be repeated
     * @param kept number of elements to emit so far
     * @return the result of the call, or a {@link FailureVerdict} that has already been carried out: the element was
     *     dropped, or the stream fails at it
     */
    final Object after(Throwable thrown, Handler<? super T, ?> call, Batch<T> batch, int kept, int index)
            throws InterruptedException {
        Object outcome = supervised.after(thrown, call, batch, kept, index);
        if (outcome instanceof FailureVerdict verdict) {
            if (verdict.fails()) {
                failure = verdict.failure();
            }
            verdict.settle(batch.target(index), batch.token(index));
            if (verdict.restarts()) {
                restart();
            }
        }
        return outcome;
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (!ended) {
            if (failure != null) {
                throw FailureTransfer.rethrowFromAbove(failure);
            }
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch == null) {
                ended = true;
                return last();
            }
            int size = batch.size();
            if (size == 0) {
                return batch.retyped();
            }
            long start = System.nanoTime();
            inside.begin(batch, false, start);
            int kept = rework(batch);
            inside.end();
            batch.truncate(kept);
            meter.worked(size, kept, start);
            if (ended) {
                closeUpstream();
            }
            if (kept > 0 || clock.hasPassed(deadlineNanos)) {
                return batch.retyped();
            }
            batch.release();
        }
        return null;
    }

    private void closeUpstream() {
        if (!upstreamClosed) {
            upstreamClosed = true;
            upstream.close();
        }
    }

    @Override
    public void close() {
        inside.end();
        closeUpstream();
    }
}
