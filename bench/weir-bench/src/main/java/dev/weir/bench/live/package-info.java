/**
 * Changes to a running benchmark: the orders, the files that carry them, and the timeline of executed orders. The run's
 * thread applies orders. A sender waits for the answer on its own thread.
 */
@NullMarked
package dev.weir.bench.live;

import org.jspecify.annotations.NullMarked;
