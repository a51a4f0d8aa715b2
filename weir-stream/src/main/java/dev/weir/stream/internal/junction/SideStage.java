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
 * The base of stages with a sink at their side: they are fused into the main stream, and the sink has a segment and a
 * bounded buffer of its own. Confined to the main segment.
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

    /** The parts of a stage. */
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

    /** Builds the side sink and what the stage needs. */
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

    /** Fails the stream behind what goes on of this batch, and behind the side's share of it. */
    final void fail(Throwable cause) {
        failure = cause;
    }

    /**
     * Gives the side its part. If nobody wants that any more, false or an exception, what was to go on is abandoned.
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
     * Gives the side its share.
     *
     * @return what goes on, or null to end the stream
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

    /** Pulls the main stream, whose end also ends the side, after the elements it was given. */
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
            // If it comes of an interrupt for this segment alone, it is a normal end for the side, unless a failure
            // below is
            // why nobody wants its output any more.
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

    /** The end of the side as well; not a normal one if a stage below has failed. */
    @Override
    public void close() {
        inside.set(0);
        end(TaskGroup.currentFailure());
        upstream.close();
    }
}
