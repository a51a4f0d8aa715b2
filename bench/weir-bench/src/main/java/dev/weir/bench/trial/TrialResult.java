package dev.weir.bench.trial;

import dev.weir.bench.explore.Outcome;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.figures.TrialFigures;

/**
 * The result of a trial. Immutable except for the histograms of {@code measured}.
 *
 * @param measured the judged part, in the form of a run
 */
public record TrialResult(Outcome outcome, TrialFigures figures, Measured measured) {}
