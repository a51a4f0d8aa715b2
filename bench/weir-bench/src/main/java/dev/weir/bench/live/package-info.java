/**
 * Commands that change a running benchmark: the commands themselves, the files that carry them, and the timeline of
 * executed commands. The run's thread executes commands. A sender waits for the answer on its own thread.
 */
@NullMarked
package dev.weir.bench.live;

import org.jspecify.annotations.NullMarked;
