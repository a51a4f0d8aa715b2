/**
 * Measurements of a running pipeline for status lines and summaries: current counts, and the limiting stage. Has no
 * thread.
 */
@NullMarked
package dev.weir.cli.pipeline;

import org.jspecify.annotations.NullMarked;
