/**
 * {@code weir pipe}: copies records between topics, unchanged or after a translation or a shell command. {@code
 * PipeCommand} runs on the main thread, {@code PipeFlow} builds the pipeline, and the other classes show its progress
 * and summarise it.
 */
@NullMarked
package dev.weir.cli.pipe;

import org.jspecify.annotations.NullMarked;
