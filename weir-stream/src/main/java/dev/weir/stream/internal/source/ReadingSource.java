package dev.weir.stream.internal.source;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.BatchPool;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * A source that reads elements from user code until there are none. Confined to its segment's thread, except for
 * {@link #stop}.
 *
 * <p>A failure follows the elements before it. A stop ends the source after the current element.
 */
abstract class ReadingSource<T> implements Stage<T> {

    private final BatchPool pool;
    private final int room;

    private @Nullable StageEntry entry;
    private boolean ended;
    private @Nullable Throwable failure;
    private volatile boolean stopped;

    /** Creates a source that reads ahead up to the buffer of {@code attributes}, or else a default batch. */
    ReadingSource(StageAttributes attributes) {
        this.room = attributes.bufferOr(Batch.DEFAULT_CAPACITY);
        this.pool = new BatchPool(room);
    }

    /** Makes the running form of a source. */
    @FunctionalInterface
    interface Maker<T> {
        ReadingSource<T> make(StageAttributes attributes);
    }

    static <T> BlueprintNode<T> reading(String name, Maker<T> maker) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            ReadingSource<T> source = build(maker, assembly, attributes);
            source.stops();
            return source;
        });
    }

    /** A source of elements in memory. In a substream a stop does not end it, because its elements belong together. */
    static <T> BlueprintNode<T> inMemory(String name, Maker<T> maker) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            ReadingSource<T> source = build(maker, assembly, attributes);
            if (!assembly.isWithin()) {
                source.stops();
            }
            return source;
        });
    }

    private static <T> ReadingSource<T> build(Maker<T> maker, RunAssembly assembly, StageAttributes attributes) {
        StageEntry entry = assembly.fused(attributes);
        ReadingSource<T> source = maker.make(attributes);
        source.entry = entry;
        assembly.source(source);
        return source;
    }

    private void stops() {
        if (entry != null) {
            entry.onStop(this::stop);
        }
    }

    /**
     * Adds elements to {@code batch} until it holds {@code limit}, a stop arrives, or there are none.
     *
     * @return whether there may be more
     */
    abstract boolean fill(Batch<T> batch, int limit) throws Exception;

    /** Returns whether the source was stopped. */
    final boolean isStopped() {
        return stopped;
    }

    private void stop() {
        stopped = true;
    }

    @Override
    public final @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        // It never blocks, so without this check an endless source would not notice a cancellation.
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (failure != null) {
            throw FailureTransfer.rethrow(failure);
        }
        if (stopped || ended) {
            return null;
        }
        long start = System.nanoTime();
        Batch<T> batch = pool.take();
        try {
            ended = !fill(batch, room);
            if (ended && entry != null) {
                entry.ended();
            }
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Throwable thrown) {
            ended = true;
            failure = thrown;
        }
        int size = batch.size();
        if (size == 0) {
            if (failure != null) {
                throw FailureTransfer.rethrow(failure);
            }
            return null;
        }
        if (entry != null) {
            entry.meter().worked(size, size, start);
        }
        return batch;
    }

    @Override
    public void close() {}
}
