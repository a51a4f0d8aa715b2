/**
 * Positions at which partitions start, continue and end: brokers are queried, the answers come back to the owner
 * thread, which seeks. Uses {@code lookup}, {@code fetch}, {@code buffer}, {@code commit} and {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.position;

import org.jspecify.annotations.NullMarked;
