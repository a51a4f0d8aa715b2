/**
 * Waiting for elements that another thread adds while holding a lock. Each queue has its own
 * {@link dev.weir.stream.internal.waiting.ArrivalWaits}, and each task has a
 * {@link dev.weir.stream.internal.waiting.WaitHabit}.
 */
@NullMarked
package dev.weir.stream.internal.waiting;

import org.jspecify.annotations.NullMarked;
