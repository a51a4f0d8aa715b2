/**
 * Draws conclusions from the runs of a campaign: medians, ratios with intervals, and cautious verdicts. All methods are
 * pure functions that use neither threads nor clocks. {@code docs/benchmarks/method.md} explains why these methods were
 * chosen and how to read the results.
 */
@NullMarked
package dev.weir.bench.statistics;

import org.jspecify.annotations.NullMarked;
