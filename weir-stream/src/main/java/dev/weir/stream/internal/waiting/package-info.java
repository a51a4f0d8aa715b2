/**
 * The waits of one thread for elements from another. Elements are added while holding a lock, and a waiting thread is
 * woken. A queue owns its {@link dev.weir.stream.internal.waiting.ArrivalWaits}, and a task its
 * {@link dev.weir.stream.internal.waiting.WaitHabit}.
 */
@NullMarked
package dev.weir.stream.internal.waiting;

import org.jspecify.annotations.NullMarked;
