/**
 * {@code --metrics} of the commands that run a pipeline: an address comes in, a server of metrics and probes goes out.
 * The requesting command owns it; it has its own threads.
 */
@NullMarked
package dev.weir.cli.metrics;

import org.jspecify.annotations.NullMarked;
