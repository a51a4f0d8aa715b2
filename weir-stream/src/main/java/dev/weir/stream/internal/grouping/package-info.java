/**
 * Operators that group, delay or drop elements by count, weight, time or demand. Fused operators run on the thread of
 * their neighbours and wait using the run's clock. Operators between two threads use an exchange, which is guarded by
 * its own lock.
 */
@NullMarked
package dev.weir.stream.internal.grouping;

import org.jspecify.annotations.NullMarked;
