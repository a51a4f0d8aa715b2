/**
 * Figures of a running pipeline, for people: current counts and the stage that limits the others. Snapshots of stages
 * come in; it owns no thread.
 */
@NullMarked
package dev.weir.cli.pipeline;

import org.jspecify.annotations.NullMarked;
