package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/** Emits the elements of all {@link ConcurrentSubstreams}. Confined to the downstream thread. */
record MergedOutput<R>(BoundaryQueue<R> out, StageMeter segment, StageMeter meter, Runnable cancelAbove)
        implements Stage<R> {

    /** Default size of the queue, in elements. */
    static final int DEFAULT_BUFFER = 1024;

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        Batch<R> batch = out.take(deadlineNanos, segment);
        if (batch != null) {
            meter.out(batch.size());
        }
        return batch;
    }

    @Override
    public void close() {
        cancelAbove.run();
        out.cancel();
    }
}
