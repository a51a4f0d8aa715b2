/**
 * Operators that group, delay or drop elements by count, weight, time or demand. Fused operators run on their segment's
 * thread and wait using the run's clock; operators that decouple two segments use an exchange that is guarded by its
 * lock.
 */
@NullMarked
package dev.weir.stream.internal.grouping;

import org.jspecify.annotations.NullMarked;
