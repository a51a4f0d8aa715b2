/**
 * Creates the records that drivers receive, including record numbers, keys and values, and writes them with a producer.
 * This package is the lowest layer of the harness. It depends on workloads and client settings, but not on the
 * campaign's brokers. Confined to the campaign's thread.
 */
@NullMarked
package dev.weir.bench.fill;

import org.jspecify.annotations.NullMarked;
