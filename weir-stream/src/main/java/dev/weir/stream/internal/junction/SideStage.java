package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.boundary.OutputQueue;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
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
 * A stage with a side sink. The stage is fused into the main stream; the sink has its own thread and a bounded buffer.
 * Confined to the main stream's thread.
 */
abstract class SideStage<T> implements Stage<T> {

    final OutputQueue<T> side;
    final StageMeter meter;

    private final StageMeter segment;
    private final Stage<T> upstream;
    private final Clock clock;
    private final TaskGroup tasks;
    private final HeldElements inside;

    private boolean sideEnded;
    private @Nullable Throwable failure;

    record Parts<T>(Stage<T> upstream, OutputQueue<T> side, StageMeter segment, StageEntry entry, TaskGroup tasks) {}

    SideStage(Parts<T> parts) {
        this.upstream = parts.upstream;
        this.side = parts.side;
        this.segment = parts.segment;
        this.meter = parts.entry.meter();
        this.clock = parts.entry.clock();
        this.tasks = parts.tasks;
        this.inside = new HeldElements(meter);
    }

    /** Builds the side sink and the parts of the stage. */
    static <T> Parts<T> build(RunAssembly assembly, StageAttributes attributes, Stage<T> upstream, SideSink<T> sink) {
        OutputQueue<T> side = new OutputQueue<>(
                new BoundaryQueue<>(attributes.bufferOr(MergeStage.DEFAULT_BUFFER), assembly.clock()), () -> false);
        var ignored = assembly.beside(() -> {
            assembly.fill(sink.input(), side);
            side.pulledBy(assembly.segmentMeter());
            sink.builder().accept(assembly);
            Segment<?> lowest = assembly.lastSegment();
            lowest.afterNormalEnd(side::cancel);
            return lowest;
        });
        StageMeter segment = assembly.segmentMeter();
        StageEntry entry = assembly.fused(attributes);
        entry.depth(side::depth);
        entry.onTermination(patience -> {
            side.leave();
            return "";
        });
        entry.keeper(side);
        return new Parts<>(upstream, side, segment, entry, assembly.tasks());
    }

    /** Fails the main stream and the side sink after the current batch's kept elements. */
    final void fail(Throwable cause) {
        failure = cause;
    }

    /**
     * Hands {@code part} to the side sink and returns whether it was accepted. Otherwise abandons {@code on}, the main
     * stream's elements of the same batch.
     */
    final boolean give(Batch<T> part, Batch<T> on) throws InterruptedException {
        boolean given = false;
        try {
            given = side.give(part, segment);
        } finally {
            if (!given) {
                on.abandonAll();
            }
        }
        return given;
    }

    /**
     * Hands the side sink its part of a batch.
     *
     * @return the elements for the main stream, or null if the main stream must end
     */
    abstract @Nullable Batch<T> share(Batch<T> batch) throws InterruptedException;

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            Batch<T> batch = pullUpstream(deadlineNanos);
            if (batch == null || batch.isEmpty()) {
                return batch;
            }
            int in = batch.size();
            inside.set(in);
            Batch<T> on = share(batch);
            inside.set(0);
            if (on == null) {
                return null;
            }
            meter.in(in);
            meter.out(on.size());
            if (!on.isEmpty() || (failure == null && clock.hasPassed(deadlineNanos))) {
                return on;
            }
        }
    }

    /** Pulls the main stream, and passes its end on to the side sink after the queued elements. */
    private @Nullable Batch<T> pullUpstream(long deadlineNanos) throws InterruptedException {
        try {
            if (failure != null) {
                throw FailureTransfer.rethrow(failure);
            }
            Batch<T> batch = upstream.pull(deadlineNanos);
            if (batch == null) {
                end(null);
            }
            return batch;
        } catch (InterruptedException | RuntimeException | Error thrown) {
            // If the run was not cancelled, the downstream stages have failed or need no more elements. The side sink
            // then ends with their failure, or normally.
            end(TaskGroup.isCurrentInterrupted() && !tasks.isCancelled() ? TaskGroup.currentFailure() : thrown);
            throw thrown;
        }
    }

    private void end(@Nullable Throwable cause) {
        if (!sideEnded) {
            sideEnded = true;
            side.end(cause);
        }
    }

    /** Closes the upstream stage and ends the side sink's input. The input fails if a downstream stage has failed. */
    @Override
    public void close() {
        inside.set(0);
        end(TaskGroup.currentFailure());
        upstream.close();
    }
}
