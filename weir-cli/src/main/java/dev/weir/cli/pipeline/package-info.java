/**
 * Figures of a running pipeline, for people: current counts, and the stage that limits the others. Input: snapshots of
 * stages. The package owns no thread.
 */
@NullMarked
package dev.weir.cli.pipeline;

import org.jspecify.annotations.NullMarked;
