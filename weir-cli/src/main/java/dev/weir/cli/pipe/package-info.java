/**
 * {@code weir pipe}: from one topic to another, record by record, unchanged or through a translation or a shell
 * command. {@code PipeCommand} runs on the main thread, {@code PipeFlow} builds the pipeline, the other classes show
 * and summarise it.
 */
@NullMarked
package dev.weir.cli.pipe;

import org.jspecify.annotations.NullMarked;
