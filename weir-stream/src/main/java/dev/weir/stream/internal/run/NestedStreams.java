package dev.weir.stream.internal.run;

import dev.weir.stream.internal.run.ResourceClosings.Closing;
import dev.weir.stream.internal.waiting.StreamTurn;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext.PatientTermination;
import dev.weir.stream.spi.StageContext.Termination;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Starts the streams of a stage while the pipeline is running: substreams, or a replacement for a failed stream.
 * Confined to the stage's thread after assembly, except for {@link #stop}.
 *
 * <p>Stages with the same name in different streams share their counters, so 100,000 streams are shown as one.
 */
public final class NestedStreams {

    private final PipelineRun run;
    private final StageLifetime around;
    private final StageMeter segmentMeter;
    private final @Nullable StageEntry nestingStage;
    private final List<Object> upstreamHandles;
    private final SharedEntries shown;
    private final @Nullable StreamTurn turn;
    private final Set<Child<?>> children = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    NestedStreams(
            PipelineRun run,
            StageLifetime around,
            StageMeter segmentMeter,
            @Nullable StageEntry nestingStage,
            List<Object> upstreamHandles,
            SharedEntries shown,
            @Nullable StreamTurn turn) {
        this.run = run;
        this.around = around;
        this.segmentMeter = segmentMeter;
        this.nestingStage = nestingStage;
        this.upstreamHandles = upstreamHandles;
        this.shown = shown;
        this.turn = turn;
    }

    /** Returns the entries of the streams inside the stage {@code place}. These streams share one entry per stage. */
    SharedEntries shownWithin(String place) {
        return shown.within(place);
    }

    /** Builds and starts a stream. The caller must pull it on its own thread and close it. */
    public <R> Child<R> start(BlueprintNode<R> node) {
        Child<R> child = new Child<>(this);
        return child.begin(node, assembly(child, turn));
    }

    /** Builds and starts a stream whose open input {@code upperEnd} reads from {@code input}. */
    public <T, R> Child<R> start(BlueprintNode<R> node, OpenInput<T> upperEnd, Stage<T> input) {
        return start(node, upperEnd, input, turn);
    }

    /** Builds and starts a stream that takes turns with other streams on the caller's thread. */
    public <T, R> Child<R> start(
            BlueprintNode<R> node, OpenInput<T> upperEnd, Stage<T> input, @Nullable StreamTurn ofStream) {
        Child<R> child = new Child<>(this);
        RunAssembly assembly = assembly(child, ofStream);
        assembly.fill(upperEnd, input);
        return child.begin(node, assembly);
    }

    private RunAssembly assembly(Child<?> child, @Nullable StreamTurn ofStream) {
        RunAssembly assembly = new RunAssembly(run, this, child, segmentMeter, nestingStage, upstreamHandles);
        assembly.turn(ofStream);
        return assembly;
    }

    /**
     * Builds a stream for {@link ThreadProbe} and closes it at once. Returns whether the stream has its own threads.
     */
    <T, R> boolean buildAndClose(BlueprintBranch<T, R> branch, Stage<T> input, ThreadProbe probe) {
        Child<R> child = new Child<>(this);
        RunAssembly assembly = assembly(child, null);
        assembly.fill(branch.input(), input);
        assembly.probe(probe);
        child.build(branch.lowest(), assembly);
        child.segments.forEach(Segment::close);
        child.close();
        return child.isAsynchronous();
    }

    /** Stops the sources of all present and future streams. May be called from any thread. */
    public void stop() {
        stopped = true;
        children.forEach(Child::stop);
    }

    /** Returns whether a stop was requested. The request is recorded before any stream is stopped. */
    public boolean isStopped() {
        return stopped;
    }

    /** Returns an entry for a stage of a stream. Stages with the same name share the counters. */
    StageEntry entry(String name, StageLifetime lifetime, StageEntry.Shape shape) {
        return shown.entry(name, () -> {
                    StageEntry entry = new StageEntry(run, around, run.uniqueName(name), shape);
                    run.addWithin(nestingStage, entry);
                    return entry;
                })
                .inStream(lifetime, shape);
    }

    /** A stream within a run. Confined to the thread of the stage that started it, except for {@link #stop}. */
    public static final class Child<R> implements Stage<R>, StageLifetime {

        private final NestedStreams nested;
        private final List<Termination> terminations = new ArrayList<>();
        private final List<Object> handles = new ArrayList<>();
        /** Stop hooks, with the names of the sources that they stop. */
        private final Map<Runnable, String> stops = new ConcurrentHashMap<>();

        private final Set<Runnable> furtherStops = ConcurrentHashMap.newKeySet();
        /** Name of a stage that a stop has cut short, or null. */
        private volatile @Nullable String cutAt;

        private @Nullable Stage<R> lowest;
        private List<Segment<?>> segments = List.of();

        /** True if a new stream will take over the unfinished elements of this one. */
        private boolean rebuilt;

        /** True if the stream was started. Its elements may be in flight. */
        private boolean begun;

        /** Resources that are closing while the run continues. Written once, by the thread that closes the stream. */
        private volatile List<Closing> closings = List.of();

        private Child(NestedStreams nested) {
            this.nested = nested;
        }

        private Child<R> begin(BlueprintNode<R> node, RunAssembly assembly) {
            build(node, assembly);
            begun = true;
            segments.forEach(nested.run::startOrClose);
            if (nested.stopped) {
                stop();
            }
            return this;
        }

        private void build(BlueprintNode<R> node, RunAssembly assembly) {
            nested.children.add(this);
            try {
                lowest = node.build(assembly);
            } catch (RuntimeException | Error failure) {
                assembly.abandon(failure);
                terminate();
                throw failure;
            }
            segments = assembly.segments();
        }

        private boolean isAsynchronous() {
            return !segments.isEmpty();
        }

        @Override
        public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
            return lowest == null ? null : lowest.pull(deadlineNanos);
        }

        /**
         * Closes the stream, waits until its stages are closed, and closes its resources. Resources that wait for
         * emitted elements may close later; see {@link #letGo}. Idempotent.
         */
        @Override
        public void close() {
            Stage<R> closing = lowest;
            if (closing != null) {
                lowest = null;
                try {
                    closing.close();
                } finally {
                    segments.forEach(Segment::awaitClosed);
                    terminate();
                }
            }
        }

        private void terminate() {
            nested.children.remove(this);
            List<Closing> goOn = new ArrayList<>();
            for (Termination termination : terminations.reversed()) {
                try {
                    if (begun && termination instanceof PatientTermination patient) {
                        goOn.add(nested.run.closings().begin(patient, this::leftUndone));
                    } else {
                        leftUndone(termination.close(Duration.ZERO));
                    }
                } catch (RuntimeException | Error failure) {
                    // Close the remaining resources even if one fails.
                    nested.run.fail(failure);
                }
            }
            terminations.clear();
            closings = List.copyOf(goOn);
            List<Object> ended = List.copyOf(handles);
            handles.clear();
            var ignored = letGo().thenRun(() -> ended.forEach(nested.run::withdraw));
        }

        private void leftUndone(String what) {
            if (!rebuilt) {
                nested.run.leftUndone(what);
            }
        }

        /** Marks the stream as one that will be rebuilt. Its unfinished elements are not reported as left undone. */
        public void willBeRebuilt() {
            rebuilt = true;
        }

        /** Returns a future that completes when the resources are closed. */
        public CompletableFuture<Void> letGo() {
            return CompletableFuture.allOf(closings.stream().map(Closing::done).toArray(CompletableFuture<?>[]::new));
        }

        public void hurry() {
            closings.forEach(closing -> closing.hurry(Duration.ZERO));
        }

        /**
         * Returns whether the ended stream is complete. It is incomplete if a stop has cut one of its sources short, or
         * if the run has failed or was cancelled.
         */
        @Override
        public boolean isWhole() {
            return cutAt == null && !nested.run.tasks().isCancelled();
        }

        /** Reports {@code elements} unfinished elements of the parent stage, if a stop cut this stream short. */
        public void leaves(int elements) {
            String at = cutAt;
            StageEntry by = nested.nestingStage;
            if (at != null && by != null) {
                nested.run.cutOff(by.stageName(), elements, at);
            }
        }

        private void stop() {
            for (Runnable stop : List.copyOf(stops.keySet())) {
                String of = stops.remove(stop);
                if (of != null) {
                    cut(of);
                    RunEnding.call(stop, nested.run::fail);
                }
            }
            furtherStops.forEach(stop -> RunEnding.call(stop, nested.run::fail));
        }

        @Override
        public void onStop(String of, Runnable stop) {
            stops.put(stop, of);
        }

        @Override
        public void alsoOnStop(Runnable stop) {
            furtherStops.add(stop);
        }

        @Override
        public void ended(Runnable stop) {
            stops.remove(stop);
        }

        @Override
        public void cut(String at) {
            cutAt = at;
            nested.around.cut(at);
        }

        @Override
        public void exposeResource(Object handle) {
            handles.add(handle);
            nested.run.expose(handle);
        }

        @Override
        public void onTermination(Termination termination) {
            terminations.add(termination);
        }
    }
}
