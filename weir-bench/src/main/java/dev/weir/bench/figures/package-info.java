/**
 * Counts of a run: reports of drivers and readings of brokers come in, totals, intervals and phases go out. It only
 * computes; each class states which thread may use it.
 */
@NullMarked
package dev.weir.bench.figures;

import org.jspecify.annotations.NullMarked;
