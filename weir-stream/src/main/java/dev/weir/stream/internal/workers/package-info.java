/**
 * The parts of every stage with threads of its own: its parallelism, its tasks, and the time for which its output is
 * blocked. A stage owns its parts and guards them with its lock.
 */
@NullMarked
package dev.weir.stream.internal.workers;

import org.jspecify.annotations.NullMarked;
