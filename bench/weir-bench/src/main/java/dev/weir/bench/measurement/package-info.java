/**
 * Measures one run. The input is a topic and a driver whose process has started. The output is the run's intervals,
 * totals and latencies. Runs on the campaign's thread.
 */
@NullMarked
package dev.weir.bench.measurement;

import org.jspecify.annotations.NullMarked;
