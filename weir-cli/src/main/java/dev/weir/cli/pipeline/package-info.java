/**
 * Measurements of a running pipeline for status lines and summaries: the current counts, and the stage that limits the
 * pipeline's throughput. Input: snapshots of stages. The package owns no thread.
 */
@NullMarked
package dev.weir.cli.pipeline;

import org.jspecify.annotations.NullMarked;
