/**
 * Counts of a run: reports of drivers and looks at brokers come in, totals, intervals and phases go out. It starts
 * nothing and decides nothing; each class says which thread may use it.
 */
@NullMarked
package dev.weir.bench.figures;

import org.jspecify.annotations.NullMarked;
