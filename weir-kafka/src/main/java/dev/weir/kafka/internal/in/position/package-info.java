/**
 * Determines the positions at which partitions start, continue and end. Queries brokers, and processes the responses on
 * the owner thread, which then seeks. Uses {@code lookup}, {@code fetch}, {@code buffer}, {@code commit} and
 * {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.position;

import org.jspecify.annotations.NullMarked;
