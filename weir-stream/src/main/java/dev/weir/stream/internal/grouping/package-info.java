/**
 * Operators that gather, hold back or drop elements by count, weight, time or demand. Fused ones run on the thread of
 * their segment and wait by the run's clock; those that uncouple two segments share an exchange under its lock.
 */
@NullMarked
package dev.weir.stream.internal.grouping;

import org.jspecify.annotations.NullMarked;
