package dev.weir.stream;

import java.time.Duration;
import java.util.List;

/**
 * How a pipeline ended. Immutable.
 *
 * <p>What may be left undone, in this order: elements whose streams within the stream a stop cut off
 * ({@code lines: 2 elements are left unfinished, ...}), those that were inside a stage when the deadline of a drain
 * came, and what sources and sinks say themselves (that of Kafka names {@code topic-partition@offset}). Elements count
 * where they are, so one that was split counts as many.
 *
 * @param drained whether everything that was emitted was also finished
 * @param leftUndone what was left undone, one line each; empty if {@code drained}
 * @param elapsed from the start of the pipeline to its end
 * @param stages the stages' last counters
 */
public record DrainReport(boolean drained, List<String> leftUndone, Duration elapsed, List<StageSnapshot> stages) {}
