/**
 * Positions at which partitions begin, go on and end: brokers are asked, the answers come back to the owner thread,
 * which seeks. Uses {@code lookup}, {@code fetch}, {@code buffer}, {@code commit} and {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.position;

import org.jspecify.annotations.NullMarked;
