/**
 * The owner thread's loop, including rebalances and shutdown, and the sources that start a consumer. Uses
 * {@code lookup}, {@code fetch}, {@code buffer}, {@code commit} and {@code position}; none of these packages uses this
 * one.
 */
@NullMarked
package dev.weir.kafka.internal.in.owner;

import org.jspecify.annotations.NullMarked;
