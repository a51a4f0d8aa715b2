/**
 * Counts and latencies of producers' records. The threads that send records and receive acknowledgements update them.
 * Any thread may read them.
 */
@NullMarked
package dev.weir.kafka.internal.meters;

import org.jspecify.annotations.NullMarked;
