/**
 * Computes the totals, intervals and phases of a run from the reports of drivers and the readings of brokers. Each
 * class states which thread may use it.
 */
@NullMarked
package dev.weir.bench.figures;

import org.jspecify.annotations.NullMarked;
