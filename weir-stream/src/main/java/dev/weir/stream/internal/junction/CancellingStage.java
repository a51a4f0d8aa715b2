package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Passes all batches on unchanged. When this stage is closed, it also cancels {@code feeding} and abandons the elements
 * left in {@code outlets}. {@code feeding} is the upstream segment that fills {@code outlets}. Confined to its
 * segment's thread.
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
