package dev.weir.stream;

import java.time.Duration;
import java.util.List;

/**
 * How a pipeline ended.
 *
 * @param drained whether everything that was emitted was also finished
 * @param leftUndone what was left undone, one line each; empty if {@code drained}
 * @param elapsed from the start of the pipeline to its end
 * @param stages the stages' last counters
 */
public record DrainReport(boolean drained, List<String> leftUndone, Duration elapsed, List<StageSnapshot> stages) {}
