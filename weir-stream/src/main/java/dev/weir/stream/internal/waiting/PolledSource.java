package dev.weir.stream.internal.waiting;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Polls a source whose stream shares a thread with other streams and must not wait. If the source has no elements, the
 * stream requests another turn after {@code intervalNanos}. Confined to the stage's thread.
 */
public record PolledSource<T>(Stage<T> source, StreamTurn turn, Clock clock, long intervalNanos) implements Stage<T> {

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        long now = clock.nanoTime();
        Batch<T> batch = source.pull(now);
        if (batch != null && batch.isEmpty()) {
            turn.poll(now + intervalNanos);
        }
        return batch;
    }

    @Override
    public void close() {
        source.close();
    }
}
