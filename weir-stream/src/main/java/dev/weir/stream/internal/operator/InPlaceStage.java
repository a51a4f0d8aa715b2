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
 * A stage that works on the elements of each batch where they are: it replaces or drops them, and adds none but at its
 * end. Confined to the thread of its segment.
 *
 * <p>A failure of the stage's own follows the elements before it. When the stage ends by itself, it closes the one
 * above at once, and what that had handed over beyond the end is forgone.
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
     * Works on a batch of at least one element. The elements that go on are moved to its front; the others are
     * acknowledged; those beyond the end are given to {@link #end(Batch, int)}, those from a failure on abandoned.
     *
     * @return how many go on
     */
    protected abstract int rework(Batch<T> batch) throws InterruptedException;

    /**
     * Returns the batch to emit behind the last element, or null. Called once, when the stage above has ended normally.
     */
    @Nullable
    Batch<R> last() {
        return null;
    }

    /** Forgets what earlier elements left behind. */
    void restart() {}

    /** Ends a stream that is to have no elements. */
    final void end() {
        ended = true;
    }

    /** Ends the stream behind the elements that go on from this batch: those from {@code beyond} on are forgone. */
    final void end(Batch<T> batch, int beyond) {
        ended = true;
        for (int i = beyond; i < batch.size(); i++) {
            batch.forgo(i);
        }
    }

    /** Fails the stream behind the elements that go on from this batch, at the one at {@code index}. */
    final void fail(Throwable cause, Batch<T> batch, int index) {
        failure = cause;
        batch.abandonFrom(index);
    }

    /**
     * Puts what the user's function threw to supervision, which may call it again.
     *
     * @param call the same call
     * @param kept how many elements go on so far
     * @return its result, or a {@link FailureVerdict} that has been carried out: the element is dropped, or nothing
     *     behind it
     *     is to be looked at
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
