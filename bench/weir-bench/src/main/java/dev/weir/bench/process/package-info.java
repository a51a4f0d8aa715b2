/**
 * Manages the drivers' processes: the catalog of built drivers, the start and end of processes, and the communication
 * with a process about one workload point. Confined to the campaign's thread, except for stopping processes.
 */
@NullMarked
package dev.weir.bench.process;

import org.jspecify.annotations.NullMarked;
