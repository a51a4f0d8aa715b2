/**
 * {@code --metrics} of the commands that run a pipeline: an address comes in, a server of metrics and probes goes out.
 * The command that asked for it owns it; it has threads of its own.
 */
@NullMarked
package dev.weir.cli.metrics;

import org.jspecify.annotations.NullMarked;
