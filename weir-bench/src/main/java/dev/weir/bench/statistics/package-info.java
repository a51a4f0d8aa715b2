/**
 * Draws conclusions from the runs of a campaign: medians, ratios with intervals, and cautious verdicts. Pure functions
 * without threads or clocks. {@code docs/benchmarks/method.md} explains how to read these figures and why they were
 * chosen.
 */
@NullMarked
package dev.weir.bench.statistics;

import org.jspecify.annotations.NullMarked;
