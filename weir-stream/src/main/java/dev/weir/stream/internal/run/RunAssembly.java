package dev.weir.stream.internal.run;

import dev.weir.stream.Action;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.internal.steering.DispatcherSteering;
import dev.weir.stream.internal.waiting.PolledSource;
import dev.weir.stream.internal.waiting.StreamTurn;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run under construction. Stages are added to the open segment, a chain of stages with one thread, until a boundary
 * closes it. Confined to the thread that starts the run.
 */
public final class RunAssembly {

    /** Polling interval of a source without elements, if its stream takes turns with other streams on one thread. */
    private static final long POLL_NANOS = 5_000_000;

    private final PipelineRun run;
    private final @Nullable NestedStreams nested;
    private final StageLifetime lifetime;
    private final List<Segment<?>> segments = new ArrayList<>();
    private final List<Stage<?>> sources = new ArrayList<>();
    private final Map<OpenInput<?>, Stage<?>> filled = new HashMap<>();
    private final Map<Dispatcher, Integer> occupiedThreads = new HashMap<>();
    private final Set<Dispatcher> dispatchersOfWorkers = new HashSet<>();
    private final List<Action<? super RunningPipeline>> starts = new ArrayList<>();
    private @Nullable StageMeter openSegment;
    private @Nullable StageEntry lastEntry;
    private int nestedCount;
    private @Nullable ThreadProbe probe;
    private @Nullable StreamTurn turn;

    /** The objects exposed by the stages upstream of the next stage. See {@link StageEntry#upstreamHandles}. */
    private List<Object> line = new CopyOnWriteArrayList<>();

    private String prefix = "";

    RunAssembly(PipelineRun run) {
        this.run = run;
        this.nested = null;
        this.lifetime = run;
    }

    /**
     * Creates the assembly of a stream within a run. Its last stages run on the thread of the stage that pulls it.
     *
     * @param upstreamHandles the objects exposed by the nesting stage and the stages upstream of it
     */
    RunAssembly(
            PipelineRun run,
            NestedStreams nested,
            StageLifetime lifetime,
            StageMeter pullingSegment,
            @Nullable StageEntry nestingStage,
            List<Object> upstreamHandles) {
        this.run = run;
        this.nested = nested;
        this.lifetime = lifetime;
        this.openSegment = pullingSegment;
        this.lastEntry = nestingStage;
        this.line = new CopyOnWriteArrayList<>(upstreamHandles);
    }

    public Clock clock() {
        return run.clock();
    }

    /** See {@link BlueprintParts}. */
    String prefix() {
        return prefix;
    }

    void prefix(String of) {
        prefix = of;
    }

    /** Adds a stage that runs on the thread of the open segment. */
    public StageEntry fused(StageAttributes attributes) {
        return add(attributes, new StageEntry.Shape(segmentMeter().sameSegment(), 1, false));
    }

    /**
     * Returns the meter in which the open segment's thread records its waits. The segment's stages share these times.
     */
    public StageMeter segmentMeter() {
        if (openSegment == null) {
            openSegment = new StageMeter();
        }
        return openSegment;
    }

    /** Adds a stage with at most {@code workers} workers on the dispatcher. */
    public StageEntry threaded(StageAttributes attributes, Dispatcher dispatcher, int workers) {
        dispatchersOfWorkers.add(dispatcher);
        return add(attributes, new StageEntry.Shape(new StageMeter(), Math.min(workers, dispatcher.size()), true));
    }

    private StageEntry add(StageAttributes attributes, StageEntry.Shape shape) {
        String name = prefix + attributes.name();
        StageEntry entry;
        if (nested == null) {
            entry = new StageEntry(run, lifetime, run.uniqueName(name), shape);
            run.add(entry);
        } else {
            entry = nested.entry(name, lifetime, shape);
        }
        entry.joins(line);
        lastEntry = entry;
        return entry;
    }

    /**
     * Builds a part with its own threads downstream of the current stages, for example a side sink. Later stages are
     * added to the current segment again.
     */
    public <R> R beside(Supplier<R> build) {
        List<Object> upstream = line;
        line = new CopyOnWriteArrayList<>(upstream);
        try {
            return apart(build);
        } finally {
            line = upstream;
        }
    }

    /**
     * Builds the branches between a stage and the next one. Stages in one branch are not upstream of the other
     * branches.
     *
     * @param build builds the branch with the given number, counted from 0
     */
    public void branches(int count, IntFunction<?> build) {
        List<Object> upstream = line;
        List<Object> all = new CopyOnWriteArrayList<>(upstream);
        for (int i = 0; i < count; i++) {
            int branch = i;
            line = new CopyOnWriteArrayList<>(upstream);
            var ignored = apart(() -> build.apply(branch));
            all.addAll(line.subList(upstream.size(), line.size()));
        }
        line = all;
    }

    /** Builds another input of the next stage. Later stages are added to the current segment again. */
    public <R> R input(Supplier<R> build) {
        List<Object> others = line;
        line = new CopyOnWriteArrayList<>();
        try {
            return apart(build);
        } finally {
            others.addAll(line);
            line = others;
        }
    }

    private <R> R apart(Supplier<R> build) {
        StageMeter open = openSegment;
        StageEntry last = lastEntry;
        openSegment = null;
        try {
            return build.get();
        } finally {
            openSegment = open;
            lastEntry = last;
        }
    }

    /**
     * Creates the object that starts a stage's streams while the pipeline is running. A stop of the run also stops
     * them.
     */
    public NestedStreams nested() {
        StageEntry below = lastEntry;
        String place = nestedCount++ + " " + (below == null ? "" : below.stageName());
        SharedEntries shown = nested == null ? new SharedEntries() : nested.shownWithin(place);
        // Copy `line`, because inputs that are merged further downstream are added to it later.
        NestedStreams made =
                new NestedStreams(run, lifetime, segmentMeter(), lastEntry, List.copyOf(line), shown, turn);
        lifetime.alsoOnStop(made::stop);
        return made;
    }

    /** Returns whether this assembly builds a stream within a run. */
    public boolean isWithin() {
        return nested != null;
    }

    /**
     * Makes this assembly build stages for a probe, which never runs them. {@code asking} receives the calls of
     * {@link #noteThreadsWithin} and {@link #noteWaits}.
     */
    void probe(ThreadProbe asking) {
        probe = asking;
    }

    /** Returns whether the stages are built for a {@link ThreadProbe}, which never runs them. */
    public boolean isProbe() {
        return probe != null;
    }

    /**
     * Reports to a {@link ThreadProbe} that the stage will start streams that read its input. {@code hasThreads}
     * returns whether these streams have their own threads.
     */
    public void noteThreadsWithin(BooleanSupplier hasThreads) {
        if (probe != null) {
            probe.noteThreadsWithin(hasThreads);
        }
    }

    /**
     * Reports to a {@link ThreadProbe} that the stage may wait for something other than time. Such a stage needs its
     * own thread.
     */
    public void noteWaits() {
        noteThreadsWithin(() -> true);
    }

    /** Lets a stage request another turn instead of waiting. Null if the stream has its own thread. */
    public @Nullable StreamTurn turn() {
        return turn;
    }

    void turn(@Nullable StreamTurn of) {
        turn = of;
    }

    public <T> void fill(OpenInput<T> input, Stage<T> stage) {
        filled.put(input, stage);
    }

    @SuppressWarnings("unchecked") // the signature of fill ensures that the types match
    <T> Stage<T> filling(OpenInput<T> input) {
        return (Stage<T>) Objects.requireNonNull(filled.get(input), "a source was used outside its function");
    }

    /** Ensures that {@code source} is closed if the assembly fails. */
    public <T> Stage<T> source(Stage<T> source) {
        sources.add(source);
        return source;
    }

    /** Creates a source that may wait and whose creation has external effects. A probe does not create it. */
    public <T> Stage<T> source(Supplier<Stage<T>> make) {
        return polled(source(made(make)));
    }

    /**
     * Wraps a source that may wait. If the stream takes turns with other streams, the source is polled without waiting.
     */
    public <T> Stage<T> polled(Stage<T> source) {
        return polled(source, POLL_NANOS);
    }

    /** Like {@link #polled(Stage)}, with the given polling interval. */
    public <T> Stage<T> polled(Stage<T> source, long intervalNanos) {
        return turn == null ? source : new PolledSource<>(source, turn, clock(), intervalNanos);
    }

    /** Creates a stage whose creation has external effects. A probe does not create it. */
    public <T> Stage<T> made(Supplier<Stage<T>> make) {
        return isProbe() ? new ThreadProbe.Unused<>() : make.get();
    }

    /** Closes the open segment, whose thread will run {@code loop}. Later stages belong to the next segment. */
    public <T> Segment<T> closeSegment(String name, Dispatcher dispatcher, Stage<T> upstream, SinkLoop<T> loop) {
        Segment<T> segment = new Segment<>(run, name, dispatcher, upstream, loop).meteredBy(segmentMeter());
        segments.add(segment);
        occupiedThreads.merge(dispatcher, 1, Integer::sum);
        openSegment = null;
        return segment;
    }

    /**
     * Refuses a pipeline that needs more threads than a dispatcher has. Otherwise exposes the dispatchers' controls.
     */
    void checkDispatchers() {
        occupiedThreads.forEach((dispatcher, occupied) -> {
            long needed = occupied + (dispatchersOfWorkers.contains(dispatcher) ? 1L : 0L);
            if (needed > dispatcher.size()) {
                throw new IllegalStateException("pipeline " + run.name() + " needs at least " + needed
                        + " threads of dispatcher " + dispatcher + ": each async() occupies one until the end");
            }
        });
        Set<Dispatcher> used = new LinkedHashSet<>(occupiedThreads.keySet());
        used.addAll(dispatchersOfWorkers);
        used.forEach(dispatcher -> {
            int occupied = occupiedThreads.getOrDefault(dispatcher, 0);
            run.expose(new DispatcherSteering(
                    dispatcher, Math.max(1, occupied + (dispatchersOfWorkers.contains(dispatcher) ? 1 : 0))));
        });
    }

    /**
     * Calls {@code action} with the run after all stages have been created and before any of them runs. In a stream
     * within a run, calls it immediately. Does nothing during a probe.
     */
    public void onStart(Action<? super RunningPipeline> action) {
        if (isProbe()) {
            return;
        }
        if (isWithin()) {
            FailureTransfer.call(action, run);
        } else {
            starts.add(action);
        }
    }

    void tellStart() {
        starts.forEach(action -> FailureTransfer.call(action, run));
    }

    /** Closes the registered sources of stages that will not run. Adds exceptions to {@code failure}. */
    void abandon(Throwable failure) {
        for (Stage<?> source : sources) {
            try {
                source.close();
            } catch (RuntimeException | Error another) {
                if (another != failure) {
                    failure.addSuppressed(another);
                }
            }
        }
    }

    public TaskGroup tasks() {
        return run.tasks();
    }

    public Segment<?> lastSegment() {
        return segments.getLast();
    }

    List<Segment<?>> segments() {
        return segments;
    }

    public StageEntry lastEntry() {
        return Objects.requireNonNull(lastEntry, "no stage yet");
    }
}
