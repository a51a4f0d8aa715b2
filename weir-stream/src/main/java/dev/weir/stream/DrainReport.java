package dev.weir.stream;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports the end of a pipeline. Immutable.
 *
 * <p>Work may be left undone, named in this order: elements whose streams within the stream a stop cut off ({@code
 * lines: 2 elements are left unfinished, ...}), those that were inside a stage when the deadline of a drain came, and
 * the lines of sources and sinks themselves (that of Kafka names {@code topic-partition@offset}). Elements count where
 * they are, so one that was split counts as many.
 */
public final class DrainReport {

    private final Values values;

    private DrainReport(boolean drained, List<String> leftUndone, Duration elapsed, List<StageSnapshot> stages) {
        this.values = new Values(drained, leftUndone, elapsed, stages);
    }

    /** Creates one for tests of code that reads it; in a run the engine creates it. */
    public static DrainReport of(
            boolean drained, List<String> leftUndone, Duration elapsed, List<StageSnapshot> stages) {
        return new DrainReport(drained, leftUndone, elapsed, stages);
    }

    /** Returns whether everything that was emitted was also finished. */
    public boolean drained() {
        return values.drained;
    }

    /** The work left undone, one line each; empty if {@code drained}. */
    public List<String> leftUndone() {
        return values.leftUndone;
    }

    /** Time from the start of the pipeline to its end. */
    public Duration elapsed() {
        return values.elapsed;
    }

    /** The stages' last counters. */
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
