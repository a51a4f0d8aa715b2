package dev.weir.stream.internal.run;

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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A run under construction: stages join the open segment until a boundary closes it. Confined to the starter. */
public final class RunAssembly {

    /** Interval at which a source in the stream of a key is asked that had nothing. */
    private static final long POLL_NANOS = 5_000_000;

    private final PipelineRun run;
    private final @Nullable NestedStreams nest;
    private final StageLifetime lifetime;
    private final List<Segment<?>> segments = new ArrayList<>();
    private final List<Stage<?>> sources = new ArrayList<>();
    private final Map<OpenInput<?>, Stage<?>> filled = new HashMap<>();
    private final Map<Dispatcher, Integer> occupiedThreads = new HashMap<>();
    private final Set<Dispatcher> dispatchersOfWorkers = new HashSet<>();
    private final List<Consumer<? super RunningPipeline>> starts = new ArrayList<>();
    private @Nullable StageMeter openSegment;
    private @Nullable StageEntry lastEntry;
    private int nests;
    private @Nullable ThreadProbe probe;
    private @Nullable StreamTurn turn;

    /** Prefix of the names of stages that are added now. */
    private String prefix = "";

    /** The assembly of a whole run. */
    RunAssembly(PipelineRun run) {
        this.run = run;
        this.nest = null;
        this.lifetime = run;
    }

    /** The assembly of a stream within a run, whose lowest segment is that of the stage which pulls it. */
    RunAssembly(
            PipelineRun run,
            NestedStreams nest,
            StageLifetime lifetime,
            StageMeter pullingSegment,
            @Nullable StageEntry nestingStage) {
        this.run = run;
        this.nest = nest;
        this.lifetime = lifetime;
        this.openSegment = pullingSegment;
        this.lastEntry = nestingStage;
    }

    /** The clock that the run waits by. */
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

    /** The meter in which the open segment's thread notes its waits: all its stages share those times. */
    public StageMeter segmentMeter() {
        if (openSegment == null) {
            openSegment = new StageMeter();
        }
        return openSegment;
    }

    /** Adds a stage whose workers run on the dispatcher, up to {@code workers} at once. */
    public StageEntry threaded(StageAttributes attributes, Dispatcher dispatcher, int workers) {
        dispatchersOfWorkers.add(dispatcher);
        return add(attributes, new StageEntry.Shape(new StageMeter(), Math.min(workers, dispatcher.size()), true));
    }

    private StageEntry add(StageAttributes attributes, StageEntry.Shape shape) {
        String name = prefix + attributes.name();
        StageEntry entry;
        if (nest == null) {
            entry = new StageEntry(run, lifetime, run.uniqueName(name), shape);
            run.add(entry);
        } else {
            entry = nest.entry(name, lifetime, shape);
        }
        lastEntry = entry;
        return entry;
    }

    /**
     * Builds something beside the open segment, such as a further input or a side sink; afterwards that segment is open
     * again.
     */
    public <R> R beside(Supplier<R> build) {
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

    /** A place for streams that the stage being built will start while it runs; a stop reaches their sources. */
    public NestedStreams nest() {
        StageEntry below = lastEntry;
        String place = nests++ + " " + (below == null ? "" : below.stageName());
        SharedEntries shown = nest == null ? new SharedEntries() : nest.shownWithin(place);
        NestedStreams made = new NestedStreams(run, lifetime, segmentMeter(), lastEntry, shown, turn);
        lifetime.alsoOnStop(made::stop);
        return made;
    }

    /** Returns whether this is a stream within a run. */
    public boolean isWithin() {
        return nest != null;
    }

    /** Builds only for {@code asking}. */
    void probe(ThreadProbe asking) {
        probe = asking;
    }

    /** Returns whether what is built is never run, only closed: see {@link ThreadProbe}. */
    public boolean isProbe() {
        return probe != null;
    }

    /** Notes, in a probe, that the stage will start streams that read its input, if those have threads of their own. */
    public void noteThreadsWithin(BooleanSupplier hasThreads) {
        if (probe != null) {
            probe.noteThreadsWithin(hasThreads);
        }
    }

    /** Notes, in a probe, that the stage may wait for something that no {@link StreamTurn} can be asked for. */
    public void noteWaits() {
        noteThreadsWithin(() -> true);
    }

    /** The turn to ask for instead of waiting, or null if the stream has its thread to itself. */
    public @Nullable StreamTurn turn() {
        return turn;
    }

    void turn(@Nullable StreamTurn of) {
        turn = of;
    }

    /** Says what stage {@code input} stands for in this assembly. */
    public <T> void fill(OpenInput<T> input, Stage<T> stage) {
        filled.put(input, stage);
    }

    @SuppressWarnings("unchecked") // fill takes an input and a stage of one type
    <T> Stage<T> filling(OpenInput<T> input) {
        return (Stage<T>) Objects.requireNonNull(filled.get(input), "a source was used outside its function");
    }

    /** Makes sure that {@code source} is closed if the assembly fails. */
    public <T> Stage<T> source(Stage<T> source) {
        sources.add(source);
        return source;
    }

    /**
     * The same for a source whose making is seen from outside, and which may wait for what it emits: in a probe none is
     * made.
     */
    public <T> Stage<T> source(Supplier<Stage<T>> make) {
        return polled(source(made(make)));
    }

    /** A source that may wait for what it emits: asked without waiting if the stream takes turns with others. */
    public <T> Stage<T> polled(Stage<T> source) {
        return polled(source, POLL_NANOS);
    }

    /** The same, asked at this interval. */
    public <T> Stage<T> polled(Stage<T> source, long intervalNanos) {
        return turn == null ? source : new PolledSource<>(source, turn, clock(), intervalNanos);
    }

    /** A stage whose making is seen from outside: in a probe none is made. */
    public <T> Stage<T> made(Supplier<Stage<T>> make) {
        return isProbe() ? new ThreadProbe.Unused<>() : make.get();
    }

    /** Ends the open segment with {@code loop}; stages that are added later belong to the next one. */
    public <T> Segment<T> closeSegment(String name, Dispatcher dispatcher, Stage<T> upstream, SinkLoop<T> loop) {
        Segment<T> segment = new Segment<>(run, name, dispatcher, upstream, loop).meteredBy(segmentMeter());
        segments.add(segment);
        occupiedThreads.merge(dispatcher, 1, Integer::sum);
        openSegment = null;
        return segment;
    }

    /**
     * Refuses a pipeline that would wait forever for a thread which its own segments occupy; lets users steer the
     * dispatchers of the others.
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
     * Calls {@code action} with the run when all stages are made and none runs; in a stream within a run now, in a
     * probe never.
     */
    public void onStart(Consumer<? super RunningPipeline> action) {
        if (isProbe()) {
            return;
        }
        if (isWithin()) {
            action.accept(run);
        } else {
            starts.add(action);
        }
    }

    /** Tells all who asked that the run is about to begin. */
    void tellStart() {
        starts.forEach(action -> action.accept(run));
    }

    /** Closes what was made, as nothing of it will run. What goes wrong is added to {@code failure}. */
    void abandon(Throwable failure) {
        for (Stage<?> source : sources) {
            try {
                source.close();
            } catch (RuntimeException | Error another) {
                failure.addSuppressed(another);
            }
        }
    }

    /** The tasks of the run, for stages with threads of their own. */
    public TaskGroup tasks() {
        return run.tasks();
    }

    /** The segment that was closed last. */
    public Segment<?> lastSegment() {
        return segments.getLast();
    }

    List<Segment<?>> segments() {
        return segments;
    }

    /** The stage that was added last: the lowest of the open segment. */
    public StageEntry lastEntry() {
        return Objects.requireNonNull(lastEntry, "no stage yet");
    }
}
