/**
 * Counts of producers' records on the way, and their latencies: written by the threads that send and that hear of
 * answers, read by any.
 */
@NullMarked
package dev.weir.kafka.internal.meters;

import org.jspecify.annotations.NullMarked;
