/**
 * The option {@code --metrics} of the commands that run a pipeline. Input: an address. Output: a server of metrics and
 * probes, which has its own threads. The command that requests the server owns it.
 */
@NullMarked
package dev.weir.cli.metrics;

import org.jspecify.annotations.NullMarked;
