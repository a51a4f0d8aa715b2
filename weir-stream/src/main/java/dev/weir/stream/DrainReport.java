package dev.weir.stream;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a pipeline that has ended. Immutable.
 *
 * <p>The report lists unfinished work in this order: elements whose substreams a stop ended early, elements that were
 * inside a stage at the deadline, and lines from sources and sinks ({@code topic-partition@offset} for Kafka). An
 * element that was split into several parts counts once per part.
 */
public final class DrainReport {

    private final Values values;

    private DrainReport(boolean drained, List<String> leftUndone, Duration elapsed, List<StageSnapshot> stages) {
        this.values = new Values(drained, leftUndone, elapsed, stages);
    }

    /** Creates a report for tests. */
    public static DrainReport of(
            boolean drained, List<String> leftUndone, Duration elapsed, List<StageSnapshot> stages) {
        return new DrainReport(drained, leftUndone, elapsed, stages);
    }

    /** Returns whether all emitted elements have been finished. */
    public boolean drained() {
        return values.drained;
    }

    /** The unfinished work, one entry per line; empty if {@link #drained}. */
    public List<String> leftUndone() {
        return values.leftUndone;
    }

    /** Time from the start of the pipeline to its end. */
    public Duration elapsed() {
        return values.elapsed;
    }

    /** The final counters of each stage. */
    public List<StageSnapshot> stages() {
        return values.stages;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DrainReport that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "DrainReport");
    }

    private record Values(boolean drained, List<String> leftUndone, Duration elapsed, List<StageSnapshot> stages) {}
}
