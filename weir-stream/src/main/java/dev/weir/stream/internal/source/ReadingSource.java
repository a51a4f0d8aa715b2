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
 * Reads elements from user code until there are no more. Confined to the stage's thread, except for {@link #stop}.
 *
 * <p>If reading fails, the elements read so far are emitted first. A stop ends the source after the current element.
 */
abstract class ReadingSource<T> implements Stage<T> {

    private final BatchPool pool;
    private final int room;

    private @Nullable StageEntry entry;
    private boolean ended;
    private @Nullable Throwable failure;
    private volatile boolean stopped;

    /** Creates a source that reads ahead up to the buffer size in {@code attributes}, or the default batch size. */
    ReadingSource(StageAttributes attributes) {
        this.room = attributes.bufferOr(Batch.DEFAULT_CAPACITY);
        this.pool = new BatchPool(room);
    }

    /** Creates a source for one run. */
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

    /**
     * Creates the blueprint of a source whose elements are in memory. In a substream, the source emits all its elements
     * even after a stop of the run.
     */
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
     * Adds elements until {@code batch} holds {@code limit}, the source is stopped, or there are no more.
     *
     * @return whether there may be more elements
     */
    abstract boolean fill(Batch<T> batch, int limit) throws Exception;

    final boolean isStopped() {
        return stopped;
    }

    private void stop() {
        stopped = true;
    }

    @Override
    public final @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        // The source never blocks. Check here, so that an endless source notices a cancellation.
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
