/**
 * The owner thread's loop, rebalances and ending, and the sources that start it: settings come in, a running consumer
 * goes out. Uses {@code lookup}, {@code fetch}, {@code buffer}, {@code commit} and {@code position}; none of them uses
 * this package.
 */
@NullMarked
package dev.weir.kafka.internal.in.owner;

import org.jspecify.annotations.NullMarked;
