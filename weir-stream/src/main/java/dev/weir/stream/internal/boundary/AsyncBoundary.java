package dev.weir.stream.internal.boundary;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * The downstream side of an asynchronous boundary. It emits the batches that the upstream thread has put into the
 * exchange. Confined to the downstream thread.
 */
public final class AsyncBoundary<I, O> implements Stage<O> {

    private final BatchExchange<I, O> exchange;
    private final Segment<I> upper;
    private final StageMeter meter;

    private AsyncBoundary(BatchExchange<I, O> exchange, Segment<I> upper, StageMeter meter) {
        this.exchange = exchange;
        this.upper = upper;
        this.meter = meter;
    }

    /** Runs the stages {@code above} on the dispatcher, and buffers up to {@code capacity} of their elements. */
    public static <T> BlueprintNode<T> node(BlueprintNode<T> above, Dispatcher dispatcher, int capacity) {
        return node(
                Attributes.named("async").withDispatcher(dispatcher).withBuffer(capacity),
                above,
                (attributes, clock) -> new BoundaryQueue<>(attributes.bufferOr(capacity), clock));
    }

    public static <I, O> BlueprintNode<O> node(Attributes defaults, BlueprintNode<I> above, Kind<I, O> kind) {
        return new BlueprintNode<>(defaults, (assembly, attributes) -> build(above, assembly, attributes, kind));
    }

    private static <I, O> Stage<O> build(
            BlueprintNode<I> above, RunAssembly assembly, StageAttributes attributes, Kind<I, O> kind) {
        Stage<I> upstream = above.build(assembly);
        BatchExchange<I, O> exchange = kind.open(attributes, assembly.clock());
        StageMeter upperMeter = assembly.segmentMeter();
        Segment<I> upper = assembly.closeSegment(
                assembly.lastEntry().stageName(),
                attributes.dispatcherOr(Dispatcher.virtual()),
                upstream,
                from -> fill(exchange, from, upperMeter));
        StageEntry lowerEnd = assembly.fused(attributes);
        lowerEnd.depth(exchange::depth);
        if (exchange instanceof BoundaryQueue<?> queue) {
            lowerEnd.keeper(queue);
        }
        return new AsyncBoundary<>(exchange, upper, lowerEnd.meter());
    }

    /** Moves batches from the upstream stages to the exchange, on the upstream thread. A failure ends the exchange. */
    private static <I> void fill(BatchExchange<I, ?> exchange, Stage<I> from, StageMeter meter)
            throws InterruptedException {
        try {
            Batch<I> batch;
            while ((batch = from.pull(Stage.NEVER)) != null) {
                if (!batch.isEmpty() && !put(exchange, batch, meter)) {
                    return;
                }
            }
            exchange.end(null);
        } catch (InterruptedException interrupted) {
            // End with the interrupt: after a normal end, the sink would treat the cancelled stream as complete.
            exchange.end(interrupted);
            throw interrupted;
        } catch (RuntimeException | Error failure) {
            TaskGroup.noteFailure(failure);
            exchange.end(failure);
        }
    }

    /** Puts a batch into the exchange. Abandons the batch if the exchange refuses it or throws. */
    private static <I> boolean put(BatchExchange<I, ?> exchange, Batch<I> batch, StageMeter meter)
            throws InterruptedException {
        boolean taken = false;
        try {
            taken = exchange.put(batch, meter);
        } finally {
            if (!taken) {
                batch.abandonAll();
            }
        }
        return taken;
    }

    @Override
    public @Nullable Batch<O> pull(long deadlineNanos) throws InterruptedException {
        return exchange.take(deadlineNanos, meter);
    }

    @Override
    public void close() {
        // Cancel the upstream thread first, so that it knows of a failure before the exchange refuses its batches.
        upper.cancel();
        exchange.cancel();
    }

    /** Opens the exchange of a boundary, once for each run. */
    @FunctionalInterface
    public interface Kind<I, O> {

        BatchExchange<I, O> open(StageAttributes attributes, Clock clock);
    }
}
