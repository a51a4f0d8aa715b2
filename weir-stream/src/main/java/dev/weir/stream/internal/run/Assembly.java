package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A run under construction: stages join the open segment until a boundary closes it. Confined to the starter. */
public final class Assembly {

    private final PipelineRun run;
    private final List<StageEntry> entries = new ArrayList<>();
    private final List<Segment<?>> segments = new ArrayList<>();
    private final List<Stage<?>> sources = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private final Map<Dispatcher, Integer> occupiedThreads = new HashMap<>();
    private final Set<Dispatcher> dispatchersOfWorkers = new HashSet<>();
    private @Nullable StageMeter openSegment;

    Assembly(PipelineRun run) {
        this.run = run;
    }

    /** Adds a stage that runs on the thread of the open segment. */
    public StageEntry fused(String name) {
        return add(new StageEntry(run, unique(name), segmentMeter().sameSegment(), 1, false));
    }

    /** Where the thread of the open segment notes what it waits for: all its stages share those times. */
    public StageMeter segmentMeter() {
        if (openSegment == null) {
            openSegment = new StageMeter();
        }
        return openSegment;
    }

    /** Adds a stage whose workers run on the dispatcher, up to {@code workers} at once. */
    public StageEntry threaded(String name, Dispatcher dispatcher, int workers) {
        dispatchersOfWorkers.add(dispatcher);
        return add(new StageEntry(run, unique(name), new StageMeter(), Math.min(workers, dispatcher.size()), true));
    }

    /** Makes sure that {@code source} is closed if the assembly fails. */
    public <T> Stage<T> source(Stage<T> source) {
        sources.add(source);
        return source;
    }

    private StageEntry add(StageEntry entry) {
        entries.add(entry);
        return entry;
    }

    private String unique(String name) {
        String candidate = name;
        for (int n = 2; !names.add(candidate); n++) {
            candidate = name + "-" + n;
        }
        return candidate;
    }

    /** Ends the open segment with {@code loop}; stages that are added later belong to the next one. */
    public <T> Segment<T> closeSegment(String name, Dispatcher dispatcher, Stage<T> upstream, SinkLoop<T> loop) {
        Segment<T> segment = new Segment<>(run, name, dispatcher, upstream, loop);
        segments.add(segment);
        occupiedThreads.merge(dispatcher, 1, Integer::sum);
        openSegment = null;
        return segment;
    }

    /** Refuses a pipeline that would wait forever for a thread which its own segments occupy. */
    void checkDispatchers() {
        occupiedThreads.forEach((dispatcher, occupied) -> {
            long needed = occupied + (dispatchersOfWorkers.contains(dispatcher) ? 1L : 0L);
            if (needed > dispatcher.size()) {
                throw new IllegalStateException("pipeline " + run.name() + " needs at least " + needed
                        + " threads of dispatcher " + dispatcher + ": each async() occupies one until the end");
            }
        });
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

    List<StageEntry> entries() {
        return entries;
    }

    List<Segment<?>> segments() {
        return segments;
    }

    /** The stage that was added last: the lowest of the open segment. */
    public StageEntry lastEntry() {
        return entries.get(entries.size() - 1);
    }
}
