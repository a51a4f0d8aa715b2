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
 * Starts streams of a stage's own while the pipeline runs: sub-streams, or a replacement for one that failed. Made
 * during assembly, then confined to the thread of its stage, but for {@link #stop}.
 *
 * <p>All streams of a nest share the counters of their stages by name, so that a hundred thousand of them show as one;
 * so do those within them.
 */
public final class NestedStreams {

    private final PipelineRun run;
    private final StageLifetime around;
    private final StageMeter segmentMeter;
    private final @Nullable StageEntry nestingStage;
    private final SharedEntries shown;
    private final @Nullable StreamTurn turn;
    private final Set<Child<?>> children = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    NestedStreams(
            PipelineRun run,
            StageLifetime around,
            StageMeter segmentMeter,
            @Nullable StageEntry nestingStage,
            SharedEntries shown,
            @Nullable StreamTurn turn) {
        this.run = run;
        this.around = around;
        this.segmentMeter = segmentMeter;
        this.nestingStage = nestingStage;
        this.shown = shown;
        this.turn = turn;
    }

    /** The entries shown for a nest at {@code place} in one of the streams: the same for all of them. */
    SharedEntries shownWithin(String place) {
        return shown.within(place);
    }

    /** Builds and starts a stream. The caller pulls it on its own thread and closes it. */
    public <R> Child<R> start(BlueprintNode<R> node) {
        Child<R> child = new Child<>(this);
        return child.begin(node, assembly(child, turn));
    }

    /** The same for a blueprint whose upper end is {@code upperEnd}, which becomes {@code input}. */
    public <T, R> Child<R> start(BlueprintNode<R> node, OpenInput<T> upperEnd, Stage<T> input) {
        return start(node, upperEnd, input, turn);
    }

    /** The same for a stream that takes turns with others on the caller's thread. */
    public <T, R> Child<R> start(
            BlueprintNode<R> node, OpenInput<T> upperEnd, Stage<T> input, @Nullable StreamTurn ofStream) {
        Child<R> child = new Child<>(this);
        RunAssembly assembly = assembly(child, ofStream);
        assembly.fill(upperEnd, input);
        return child.begin(node, assembly);
    }

    private RunAssembly assembly(Child<?> child, @Nullable StreamTurn ofStream) {
        RunAssembly assembly = new RunAssembly(run, this, child, segmentMeter, nestingStage);
        assembly.turn(ofStream);
        return assembly;
    }

    /** Builds a stream for {@link ThreadProbe} and closes it again; whether it has segments of its own. */
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

    /** Asks the sources of all streams, present and future, to end. Any thread. */
    public void stop() {
        stopped = true;
        children.forEach(Child::stop);
    }

    /** Returns whether it was asked to; so before any of the streams ended by that. */
    public boolean isStopped() {
        return stopped;
    }

    /** An entry for a stage of one of the streams; the stages of that name count and show together. */
    StageEntry entry(String name, StageLifetime lifetime, StageEntry.Shape shape) {
        return shown.entry(name, () -> {
                    StageEntry entry = new StageEntry(run, around, run.uniqueName(name), shape);
                    run.addWithin(nestingStage, entry);
                    return entry;
                })
                .inStream(lifetime, shape);
    }

    /** A stream within a run. Confined to the thread of the stage that started it, but for {@link #stop}. */
    public static final class Child<R> implements Stage<R>, StageLifetime {

        private final NestedStreams nest;
        private final List<Termination> terminations = new ArrayList<>();
        /** Stops by the names of their sources. */
        private final Map<Runnable, String> stops = new ConcurrentHashMap<>();

        private final Set<Runnable> furtherStops = ConcurrentHashMap.newKeySet();
        /** The stage that a stop ended before its end, one of them, or null. */
        private volatile @Nullable String cutAt;

        private @Nullable Stage<R> lowest;
        private List<Segment<?>> segments = List.of();

        /** True if another gets what it leaves undone. */
        private boolean anew;

        /** True if it was begun, so that what it emitted may be at work. */
        private boolean begun;

        /**
         * Resources that close while the run continues. Written once, by the thread that closes the stream. Written
         * once, by who closes the stream.
         */
        private volatile List<Closing> closings = List.of();

        private Child(NestedStreams nest) {
            this.nest = nest;
        }

        private Child<R> begin(BlueprintNode<R> node, RunAssembly assembly) {
            build(node, assembly);
            begun = true;
            segments.forEach(nest.run::startOrClose);
            if (nest.stopped) {
                stop();
            }
            return this;
        }

        private void build(BlueprintNode<R> node, RunAssembly assembly) {
            nest.children.add(this);
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
         * Ends the stream, waits until its segments have closed their stages, and closes its resources; those that wait
         * for what was emitted go on with that, see {@link #letGo}. May be called more than once.
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
            nest.children.remove(this);
            List<Closing> goOn = new ArrayList<>();
            for (Termination termination : terminations.reversed()) {
                try {
                    if (begun && termination instanceof PatientTermination patient) {
                        goOn.add(nest.run.closings().begin(patient, this::leftUndone));
                    } else {
                        leftUndone(termination.close(Duration.ZERO));
                    }
                } catch (RuntimeException | Error failure) {
                    // One resource that cannot be closed must not keep the others from it.
                    nest.run.fail(failure);
                }
            }
            terminations.clear();
            closings = List.copyOf(goOn);
        }

        private void leftUndone(String what) {
            if (!anew) {
                nest.run.leftUndone(what);
            }
        }

        /** It will be built anew: what it leaves undone, when it is closed, is not left. */
        public void beginsAnew() {
            anew = true;
        }

        /** Done when the resources of the stream, which has been closed, are. */
        public CompletableFuture<Void> letGo() {
            return CompletableFuture.allOf(closings.stream().map(Closing::done).toArray(CompletableFuture<?>[]::new));
        }

        /** Makes the resources stop waiting. */
        public void hurry() {
            closings.forEach(closing -> closing.hurry(Duration.ZERO));
        }

        /**
         * Returns whether the stream, which has been closed, did all that it had to: no stop cut off a source, and
         * nothing beside it has failed, such as a side sink.
         */
        public boolean isWhole() {
            return cutAt == null && !nest.run.tasks().isCancelled();
        }

        /** Makes the report count {@code elements}, from which the stream was made, as left if it was cut. */
        public void leaves(int elements) {
            String at = cutAt;
            StageEntry by = nest.nestingStage;
            if (at != null && by != null) {
                nest.run.cutOff(by.stageName(), elements, at);
            }
        }

        private void stop() {
            for (Runnable stop : List.copyOf(stops.keySet())) {
                String of = stops.remove(stop);
                if (of != null) {
                    cut(of);
                    stop.run();
                }
            }
            furtherStops.forEach(Runnable::run);
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
            nest.around.cut(at);
        }

        @Override
        public void onTermination(Termination termination) {
            terminations.add(termination);
        }
    }
}
