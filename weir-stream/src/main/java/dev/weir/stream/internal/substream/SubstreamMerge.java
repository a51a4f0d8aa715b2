package dev.weir.stream.internal.substream;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * Pulls parent elements on its own thread and starts a stream for each of them. The streams run concurrently.
 * Subclasses determine how many streams run at once and when they end. Confined to the pulling thread.
 */
abstract class SubstreamMerge<T, R> {

    final ConcurrentSubstreams<R> tributaries;

    final HeldElements inside;

    private final BoundaryQueue<R> out;
    private final StageMeter meter;

    record Parts<R>(BoundaryQueue<R> out, ConcurrentSubstreams<R> tributaries, StageMeter meter) {}

    SubstreamMerge(Parts<R> parts) {
        this.tributaries = parts.tributaries;
        this.out = parts.out;
        this.meter = parts.meter;
        this.inside = new HeldElements(meter);
    }

    @FunctionalInterface
    interface Factory<T, R> {
        SubstreamMerge<T, R> create(Parts<R> parts, SupervisedCall supervised);
    }

    static <T, R> BlueprintNode<R> node(String name, BlueprintNode<T> above, Factory<T, R> factory) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageEntry entry = assembly.fused(attributes);
            Dispatcher dispatcher = attributes.dispatcherOr(Dispatcher.virtual());
            BoundaryQueue<R> out =
                    new BoundaryQueue<>(attributes.bufferOr(MergedOutput.DEFAULT_BUFFER), assembly.clock());
            NestedStreams nested = assembly.nested();
            ConcurrentSubstreams<R> tributaries = new ConcurrentSubstreams<>(
                    nested, out, entry.stageName() + "-stream", dispatcher, assembly.clock());
            // Count the parents of running streams and the results in the queue.
            entry.depth(() -> out.depth() + tributaries.count());
            entry.keeper(out);
            SubstreamMerge<T, R> running = factory.create(
                    new Parts<>(out, tributaries, entry.meter()), SupervisedCall.by(attributes, assembly.clock()));
            Segment<T> upper = assembly.closeSegment(entry.stageName(), dispatcher, upstream, running::run)
                    .countedByItsStage();
            return new MergedOutput<>(out, assembly.segmentMeter(), entry.meter(), upper::cancel);
        });
    }

    /** Pulls all parent elements, then waits until the streams have ended. An exception ends the queue. */
    final void run(Stage<T> from) throws InterruptedException {
        try {
            Batch<T> batch;
            while ((batch = from.pull(deadlineNanos())) != null) {
                meter.in(batch.size());
                take(batch);
            }
            parentsEnded();
            tributaries.awaitAtMost(0);
            out.end(null);
        } catch (InterruptedException interrupted) {
            out.end(interrupted);
            throw interrupted;
        } catch (RuntimeException | Error failure) {
            TaskGroup.noteFailure(failure);
            out.end(failure);
        } finally {
            inside.set(0);
            tributaries.close();
        }
    }

    /** Returns the time at which {@link #take} must be called even without new parents. */
    long deadlineNanos() {
        return Stage.NEVER;
    }

    /** Handles the parents. The batch may be empty. */
    abstract void take(Batch<T> parents) throws InterruptedException;

    void parentsEnded() throws InterruptedException {}

    /** Starts {@code stream} for the parent at {@code index}. Returns null if {@code stream} is null. */
    final ConcurrentSubstreams<R>.@Nullable Tributary start(
            @Nullable BlueprintNode<R> stream, Batch<T> parents, int index) {
        if (stream == null) {
            return null;
        }
        return tributaries.start(stream, ParentAcknowledgement.of(parents, index), () -> {});
    }
}
