package dev.weir.stream.internal.source;

import dev.weir.stream.Attributes;
import dev.weir.stream.internal.run.Assembly;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.BatchPool;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * A source that asks user code for the next element until there is none. Confined to the thread of its segment, but for
 * {@link #stop}.
 *
 * <p>A failure follows the elements before it. A stop ends the source after the element it is at.
 */
abstract class ReadingSource<T> implements Stage<T> {

    private final BatchPool pool;
    private final int room;

    private @Nullable StageMeter meter;
    private boolean ended;
    private @Nullable Throwable failure;
    private volatile boolean stopped;

    /** Creates a source that reads ahead as far as the buffer of {@code attributes}, or else a normal batch. */
    ReadingSource(Attributes attributes) {
        this.room = attributes.bufferOr(Batch.DEFAULT_CAPACITY);
        this.pool = new BatchPool(room);
    }

    /** Makes the running form of a source. */
    @FunctionalInterface
    interface Maker<T> {
        ReadingSource<T> make(Attributes attributes);
    }

    static <T> Node<T> reading(String name, Maker<T> maker) {
        return new Node<>(name, (assembly, attributes) -> build(maker, assembly, attributes));
    }

    private static <T> Stage<T> build(Maker<T> maker, Assembly assembly, Attributes attributes) {
        var entry = assembly.fused(attributes);
        ReadingSource<T> source = maker.make(attributes);
        source.meter = entry.meter();
        entry.onStop(source::stop);
        return assembly.source(source);
    }

    /**
     * Adds elements to {@code batch} until it holds {@code limit}, a stop came, or there are none.
     *
     * @return whether there may be more
     */
    abstract boolean fill(Batch<T> batch, int limit) throws Exception;

    /** Whether a stop came. */
    final boolean isStopped() {
        return stopped;
    }

    private void stop() {
        stopped = true;
    }

    @Override
    public final @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        // It never blocks by itself, so nothing else would notice a cancellation when there is no end.
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (failure != null) {
            throw Failures.rethrow(failure);
        }
        if (stopped || ended) {
            return null;
        }
        long start = System.nanoTime();
        Batch<T> batch = pool.take();
        try {
            ended = !fill(batch, room);
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Throwable thrown) {
            ended = true;
            failure = thrown;
        }
        int size = batch.size();
        if (size == 0) {
            if (failure != null) {
                throw Failures.rethrow(failure);
            }
            return null;
        }
        if (meter != null) {
            meter.worked(size, size, start);
        }
        return batch;
    }

    @Override
    public void close() {}
}
