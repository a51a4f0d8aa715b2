package dev.weir.stream.internal.boundary;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.run.Assembly;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * The lower end of an asynchronous boundary: the stages above run on a thread of their own and fill its buffer.
 * Confined to the lower segment.
 */
public final class AsyncBoundary<T> implements Stage<T> {

    private final BoundaryQueue<T> queue;
    private final Segment<T> upper;
    private final StageMeter meter;

    private AsyncBoundary(BoundaryQueue<T> queue, Segment<T> upper, StageMeter meter) {
        this.queue = queue;
        this.upper = upper;
        this.meter = meter;
    }

    /** Puts what is above {@code node} on the dispatcher, with a buffer of {@code capacity} elements below it. */
    public static <T> Node<T> node(Node<T> above, Dispatcher dispatcher, int capacity) {
        return new Node<>(
                Attributes.named("async").withDispatcher(dispatcher).withBuffer(capacity),
                (assembly, attributes) -> build(above, assembly, attributes));
    }

    private static <T> Stage<T> build(Node<T> above, Assembly assembly, Attributes attributes) {
        Stage<T> upstream = above.build(assembly);
        BoundaryQueue<T> queue = new BoundaryQueue<>(attributes.buffer(), assembly.clock());
        StageMeter upperMeter = assembly.segmentMeter();
        Segment<T> upper = assembly.closeSegment(
                assembly.lastEntry().stageName(),
                attributes.dispatcherOr(Dispatcher.virtual()),
                upstream,
                from -> fill(queue, from, upperMeter));
        StageEntry lowerEnd = assembly.fused(attributes);
        lowerEnd.depth(queue::depth);
        return new AsyncBoundary<>(queue, upper, lowerEnd.meter());
    }

    /** The loop of the upper segment. A failure follows the batches before it down the queue. */
    private static <T> void fill(BoundaryQueue<T> queue, Stage<T> from, StageMeter meter) throws InterruptedException {
        try {
            Batch<T> batch;
            while ((batch = from.pull(Stage.NEVER)) != null) {
                if (!batch.isEmpty() && !queue.put(batch, meter)) {
                    return;
                }
            }
            queue.end(null);
        } catch (InterruptedException interrupted) {
            // Not the end: the sink must not take a cancelled stream for a complete one.
            queue.end(interrupted);
            throw interrupted;
        } catch (RuntimeException | Error failure) {
            queue.end(failure);
        }
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch = queue.take(deadlineNanos, meter);
        if (batch != null) {
            meter.in(batch.size());
            meter.out(batch.size());
        }
        return batch;
    }

    @Override
    public void close() {
        var ignored = queue.cancel();
        upper.cancel();
    }
}
