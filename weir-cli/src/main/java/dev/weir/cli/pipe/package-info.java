/**
 * {@code weir pipe}: from one topic to another, record by record through nothing, a translation or a shell command.
 * {@code PipeCommand} runs on the main thread, {@code PipeFlow} builds the pipeline, the rest shows and sums up.
 */
@NullMarked
package dev.weir.cli.pipe;

import org.jspecify.annotations.NullMarked;
