package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * The input of an operator that emits its remaining elements before the end or a failure of the input. Confined to the
 * stage's thread.
 */
final class FlushingIntake<T> {

    private final Stage<T> upstream;

    private boolean ended;
    private @Nullable Throwable failure;

    FlushingIntake(Stage<T> upstream) {
        this.upstream = upstream;
    }

    /** Returns the next batch, or null once the input {@linkplain #isEnded has ended}, normally or with a failure. */
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

    /** Ends the input with a failure of the operator, which still emits its remaining elements. */
    void fail(Throwable thrown) {
        ended = true;
        failure = thrown;
    }

    boolean isEnded() {
        return ended;
    }

    /**
     * Returns null after a normal end, and throws the failure otherwise. Called when the operator has emitted all its
     * elements.
     */
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
