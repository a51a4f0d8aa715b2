/**
 * The parts of every stage that has threads of its own: how many elements it may work on at once, the tasks that do it,
 * and the time for which nobody takes its output. A stage owns its parts and guards them with its lock.
 */
@NullMarked
package dev.weir.stream.internal.workers;

import org.jspecify.annotations.NullMarked;
