package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Passes all batches on unchanged. Closing it also cancels {@code feeding}, the upstream thread that fills
 * {@code outlets}, and abandons the elements in {@code outlets}. Confined to the stage's thread.
 */
record CancellingStage<T>(Stage<T> upstream, Segment<?> feeding, StageOutputs<?> outlets) implements Stage<T> {

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        return upstream.pull(deadlineNanos);
    }

    @Override
    public void close() {
        outlets.closing();
        try {
            upstream.close();
        } finally {
            feeding.cancel();
            outlets.leave();
        }
    }
}
