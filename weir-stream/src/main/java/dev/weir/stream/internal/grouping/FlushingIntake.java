package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * The stage above an operator that has something to emit before the end or the failure of its input goes on. Confined
 * to the segment.
 */
final class FlushingIntake<T> {

    private final Stage<T> upstream;

    private boolean ended;
    private @Nullable Throwable failure;

    FlushingIntake(Stage<T> upstream) {
        this.upstream = upstream;
    }

    /** The next batch; null once the input {@linkplain #isEnded has ended}, normally or by a failure. */
    @Nullable
    Batch<T> pull(long deadlineNanos) throws InterruptedException {
        try {
            Batch<T> batch = upstream.pull(deadlineNanos);
            ended = batch == null;
            return batch;
        } catch (RuntimeException | Error thrown) {
            fail(thrown);
            return null;
        }
    }

    /** Ends the input by a failure of the operator's own, behind what it has still to emit. */
    void fail(Throwable thrown) {
        ended = true;
        failure = thrown;
    }

    boolean isEnded() {
        return ended;
    }

    /** Returns the answer once all is emitted: null, or the failure is thrown. */
    <R> @Nullable Batch<R> end() {
        if (failure != null) {
            throw FailureTransfer.rethrow(failure);
        }
        return null;
    }

    void close() {
        upstream.close();
    }
}
