/**
 * Common parts of stages with their own threads: the parallelism, the tasks, and the time for which the output is
 * blocked. A stage owns its parts and guards them with its lock.
 */
@NullMarked
package dev.weir.stream.internal.workers;

import org.jspecify.annotations.NullMarked;
