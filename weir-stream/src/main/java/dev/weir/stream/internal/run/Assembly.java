package dev.weir.stream.internal.run;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A run under construction: stages join the open segment until a boundary closes it. Confined to the starter. */
public final class Assembly {

    private final PipelineRun run;
    private final List<StageEntry> entries = new ArrayList<>();
    private final List<Segment<?>> segments = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private @Nullable StageMeter openSegment;

    Assembly(PipelineRun run) {
        this.run = run;
    }

    /** Adds a stage that runs on the thread of the open segment. */
    public StageEntry fused(String name) {
        return add(new StageEntry(run, unique(name), segmentMeter().sameSegment(), 1));
    }

    /** Where the blocked times of the open segment go: for a stage at its upper end that is not part of it. */
    public StageMeter segmentMeter() {
        if (openSegment == null) {
            openSegment = new StageMeter();
        }
        return openSegment;
    }

    /** Adds a stage with threads of its own. */
    public StageEntry threaded(String name, int parallelism) {
        return add(new StageEntry(run, unique(name), new StageMeter(), parallelism));
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
        openSegment = null;
        return segment;
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
