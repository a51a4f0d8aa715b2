/** Counts and latencies of producers' records: written by sending and answering threads, read by any. */
@NullMarked
package dev.weir.kafka.internal.meters;

import org.jspecify.annotations.NullMarked;
