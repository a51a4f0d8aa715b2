package dev.weir.stream.internal.substream;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * The input of a stream that the stage above pulls on its own thread: it answers at once, with an empty batch if there is
 * nothing. Confined to one segment.
 */
final class Inbox<T> implements Stage<T> {

    private @Nullable Batch<T> waiting;
    private boolean ended;

    void add(Batch<T> from, int index) {
        Batch<T> batch = waiting;
        if (batch == null) {
            batch = new Batch<>(2);
            waiting = batch;
        }
        batch.add(from.get(index), from.target(index), from.token(index));
    }

    /** Nothing will be added any more. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    boolean isEmpty() {
        return waiting == null;
    }

    /** Takes out what waits, or an empty batch. */
    Batch<T> take() {
        Batch<T> batch = waiting;
        waiting = null;
        return batch == null ? new Batch<>(0) : batch;
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) {
        return waiting == null && ended ? null : take();
    }

    @Override
    public void close() {}
}
