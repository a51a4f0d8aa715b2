/**
 * Operators that gather, delay or drop elements by count, weight, time or demand. Fused operators run on the thread of
 * their segment and wait by the run's clock; operators that decouple two segments use an exchange guarded by its lock.
 */
@NullMarked
package dev.weir.stream.internal.grouping;

import org.jspecify.annotations.NullMarked;
