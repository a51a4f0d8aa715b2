/**
 * The option {@code --metrics} of commands that run a pipeline. The command owns the server, which has its own threads.
 */
@NullMarked
package dev.weir.cli.metrics;

import org.jspecify.annotations.NullMarked;
