/**
 * Manages the drivers' processes: the catalog of built drivers, the start and end of processes, and the messages to and
 * from a process that runs one point (a combination of values) of a workload. Confined to the campaign's thread, except
 * for stopping processes.
 */
@NullMarked
package dev.weir.bench.process;

import org.jspecify.annotations.NullMarked;
