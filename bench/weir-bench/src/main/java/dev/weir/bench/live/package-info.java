/**
 * Changes to a running benchmark: the commands, the files that carry them, and the timeline of executed commands. The run's
 * thread applies commands. A sender waits for the answer on its own thread.
 */
@NullMarked
package dev.weir.bench.live;

import org.jspecify.annotations.NullMarked;
