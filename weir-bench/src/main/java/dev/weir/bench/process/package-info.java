/**
 * Manages the drivers' processes: finds the built drivers, starts and stops their processes, and exchanges messages
 * with them about one point. Confined to the campaign's thread, except for stopping the processes.
 */
@NullMarked
package dev.weir.bench.process;

import org.jspecify.annotations.NullMarked;
