package dev.weir.stream.internal.waiting;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * A source in a stream that takes turns with others: asked without waiting, and again a little later when it has
 * nothing, as it cannot tell when it will. Confined to the thread of its segment.
 */
public record PolledSource<T>(Stage<T> source, Turn turn, Clock clock) implements Stage<T> {

    private static final long INTERVAL_NANOS = 5_000_000;

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        long now = clock.nanoTime();
        Batch<T> batch = source.pull(now);
        if (batch != null && batch.isEmpty()) {
            turn.poll(now + INTERVAL_NANOS);
        }
        return batch;
    }

    @Override
    public void close() {
        source.close();
    }
}
