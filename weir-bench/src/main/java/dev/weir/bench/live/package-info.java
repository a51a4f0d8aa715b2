/**
 * Changes of a run while it goes on: what can be ordered, how an order comes to the run as a file, and the timeline of
 * what was done. Orders are applied by the thread of the run; whoever leaves one waits for the answer
 * on a thread of its own.
 */
@NullMarked
package dev.weir.bench.live;

import org.jspecify.annotations.NullMarked;
