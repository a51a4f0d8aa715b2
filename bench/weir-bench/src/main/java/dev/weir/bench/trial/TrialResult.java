package dev.weir.bench.trial;

import dev.weir.bench.explore.Outcome;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.figures.TrialFigures;

/**
 * The result of a trial. Immutable except for the histograms of {@code measured}.
 *
 * @param measured the figures of the judged part, in the same form as the figures of a run
 */
public record TrialResult(Outcome outcome, TrialFigures figures, Measured measured) {}
