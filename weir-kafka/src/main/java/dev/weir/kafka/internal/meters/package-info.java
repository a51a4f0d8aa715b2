/**
 * Contains counts and latencies of producers' records. They are updated by the threads that send records and receive
 * acknowledgements, and may be read by any thread.
 */
@NullMarked
package dev.weir.kafka.internal.meters;

import org.jspecify.annotations.NullMarked;
