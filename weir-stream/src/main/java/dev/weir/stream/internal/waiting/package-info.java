/**
 * Waits of one thread for another that hands something over: elements come in under a lock, and whoever waits for them
 * is woken. A queue owns its {@link dev.weir.stream.internal.waiting.ArrivalWaits}, a task its {@link
 * dev.weir.stream.internal.waiting.WaitHabit}.
 */
@NullMarked
package dev.weir.stream.internal.waiting;

import org.jspecify.annotations.NullMarked;
