package dev.weir.stream;

import java.time.Duration;
import java.util.List;

/**
 * How a pipeline ended. Immutable.
 *
 * <p>Work may be left undone, named in this order: elements whose streams within the stream a stop cut off ({@code
 * lines: 2 elements are left unfinished, ...}), those that were inside a stage when the deadline of a drain came, and
 * the lines of sources and sinks themselves (that of Kafka names {@code topic-partition@offset}). Elements count where
 * they are, so one that was split counts as many.
 *
 * @param drained whether everything that was emitted was also finished
 * @param leftUndone the work left undone, one line each; empty if {@code drained}
 * @param elapsed from the start of the pipeline to its end
 * @param stages the stages' last counters
 */
public record DrainReport(boolean drained, List<String> leftUndone, Duration elapsed, List<StageSnapshot> stages) {}
