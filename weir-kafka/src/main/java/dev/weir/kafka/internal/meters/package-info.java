/**
 * Contains counts and latencies of producers' records. The threads that send records and receive acknowledgements write
 * them, any thread may read them.
 */
@NullMarked
package dev.weir.kafka.internal.meters;

import org.jspecify.annotations.NullMarked;
