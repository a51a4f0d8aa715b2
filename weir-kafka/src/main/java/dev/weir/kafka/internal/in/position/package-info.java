/**
 * Determines the positions at which partitions start, continue and end. Queries brokers; the owner thread processes the
 * responses and seeks to the positions. Uses {@code lookup}, {@code fetch}, {@code buffer}, {@code commit} and
 * {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.position;

import org.jspecify.annotations.NullMarked;
