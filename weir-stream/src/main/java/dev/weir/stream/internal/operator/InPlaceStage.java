package dev.weir.stream.internal.operator;

import dev.weir.stream.Supervision;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * A stage that works on the elements of each batch where they are: it replaces or drops them, and adds none but at its
 * end. Confined to the thread of its segment.
 *
 * <p>A failure of the stage's own follows the elements before it. When the stage ends by itself, it closes the one above
 * at once; what that had handed over beyond the end is not acknowledged.
 */
abstract class InPlaceStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final StageMeter meter;
    private final Clock clock;
    private final Supervision supervision;

    private boolean ended;
    private boolean upstreamClosed;
    private @Nullable Throwable failure;

    InPlaceStage(Wiring<T> wiring) {
        this.upstream = wiring.upstream();
        this.meter = wiring.meter();
        this.clock = wiring.clock();
        this.supervision = wiring.supervision();
    }

    /**
     * Works on a batch of at least one element. The elements that go on are moved to its front; the others are
     * acknowledged, unless they lie beyond the end or the failure of the stream.
     *
     * @return how many go on
     */
    abstract int rework(Batch<T> batch) throws InterruptedException;

    /** What is emitted behind the last element, or null. Called once, when the stage above has ended normally. */
    @Nullable
    Batch<R> last() {
        return null;
    }

    /** Forgets what earlier elements left behind. */
    void restart() {}

    /** Ends the stream behind the elements that go on from this batch. */
    final void end() {
        ended = true;
    }

    /** Fails the stream behind the elements that go on from this batch. */
    final void fail(Throwable cause) {
        failure = cause;
    }

    /**
     * Puts what the user's function threw to supervision.
     *
     * @return whether the stream fails, so that nothing behind the element is to be looked at; otherwise it is dropped
     */
    final boolean failsBy(Throwable thrown, Batch<T> batch, int index) {
        switch (supervision.decide(thrown)) {
            case FAIL -> {
                fail(thrown);
                return true;
            }
            case SKIP -> batch.ack(index);
            case SKIP_UNACKNOWLEDGED -> {}
            case RESTART -> {
                batch.ack(index);
                restart();
            }
        }
        return false;
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (!ended) {
            if (failure != null) {
                throw Failures.rethrow(failure);
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
            int kept = rework(batch);
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
        closeUpstream();
    }
}
