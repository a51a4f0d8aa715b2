/**
 * Measures one run. The input is a topic and a driver that has said hello; the output is the intervals, totals and
 * latencies of the run. Runs on the campaign's thread.
 */
@NullMarked
package dev.weir.bench.measurement;

import org.jspecify.annotations.NullMarked;
