/**
 * One run: in come a driver that has said hello and a topic, out go intervals, totals and latencies of what is
 * measured. Runs on the campaign's thread.
 */
@NullMarked
package dev.weir.bench.measurement;

import org.jspecify.annotations.NullMarked;
