package dev.weir.bench.measurement;

import dev.weir.bench.explore.Outcome;

/**
 * What a trial gave. Immutable but for the histograms of {@code measured}.
 *
 * @param measured the part that was judged, as a run
 */
public record TrialResult(Outcome outcome, TrialFigures figures, Measured measured) {}
