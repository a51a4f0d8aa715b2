/**
 * Waits of one thread for elements from another: elements are added under a lock, and a waiting thread is woken. A
 * queue owns its {@link dev.weir.stream.internal.waiting.ArrivalWaits}, a task its
 * {@link dev.weir.stream.internal.waiting.WaitHabit}.
 */
@NullMarked
package dev.weir.stream.internal.waiting;

import org.jspecify.annotations.NullMarked;
