/**
 * Conclusions about a campaign: its runs come in, medians, ratios with intervals and cautious verdicts go out. Pure
 * functions without threads or clocks; {@code docs/benchmarks/method.md} says why these and how to read them.
 */
@NullMarked
package dev.weir.bench.statistics;

import org.jspecify.annotations.NullMarked;
