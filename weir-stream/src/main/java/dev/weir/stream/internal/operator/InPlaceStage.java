package dev.weir.stream.internal.operator;

import dev.weir.stream.Handler;
import dev.weir.stream.Supervision.Decision;
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
 * A stage that processes the elements of each batch in place. Subclasses replace or drop elements, and add elements
 * only at the end. Confined to the stage's thread.
 *
 * <p>If the stage fails, the preceding elements are emitted first. If the stage ends the stream, it closes the upstream
 * stage at once and forgoes the remaining elements.
 */
public abstract class InPlaceStage<T, R> implements Stage<R> {

    /** Represents a missing result of the function. */
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
     * Processes a non-empty batch. Moves the elements to emit to the front and acknowledges the dropped ones. If the
     * stream ends within the batch, calls {@link #end(Batch, int)}. If the stage fails, abandons the failed element and
     * all later ones.
     *
     * @return number of elements to emit
     */
    protected abstract int rework(Batch<T> batch) throws InterruptedException;

    /**
     * Returns the batch to emit after the last element, or null. Called once, at a normal end of the upstream stage.
     */
    @Nullable
    Batch<R> last() {
        return null;
    }

    void restart() {}

    /** Ends the stream after the current batch. */
    final void end() {
        ended = true;
    }

    /** Ends the stream after this batch, and forgoes the elements from index {@code beyond} on. */
    final void end(Batch<T> batch, int beyond) {
        ended = true;
        batch.forgoFrom(beyond);
    }

    /** Fails the stream at the element at {@code index}. The preceding elements are emitted first. */
    final void fail(Throwable cause, Batch<T> batch, int index) {
        failure = cause;
        batch.abandonFrom(index);
    }

    /**
     * Passes an exception of the user's function to the supervision, which may retry the call.
     *
     * @param call the function call to repeat
     * @param kept number of elements to emit so far
     * @return the result of the call, or a {@link FailureVerdict} that has been applied to the element
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
                return restarted(verdict, batch, index);
            }
        }
        return outcome;
    }

    /** Discards the state. If this fails, the stream fails at the next element. */
    private FailureVerdict restarted(FailureVerdict verdict, Batch<T> batch, int index) {
        try {
            restart();
            return verdict;
        } catch (RuntimeException | Error thrown) {
            fail(thrown, batch, index + 1);
            return new FailureVerdict(Decision.FAIL, thrown);
        }
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
                Batch<R> last = last();
                if (last != null) {
                    meter.out(last.size());
                }
                return last;
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
                endUpstream();
            }
            if (kept > 0 || clock.hasPassed(deadlineNanos)) {
                return batch.retyped();
            }
            batch.release();
        }
        return null;
    }

    /** Closes the upstream stage. If this fails, the stream fails after the processed elements. */
    private void endUpstream() {
        try {
            closeUpstream();
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
            ended = false;
        }
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
