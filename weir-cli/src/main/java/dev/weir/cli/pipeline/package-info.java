/**
 * Figures of a running pipeline, for people: the counts of one moment and the stage that holds the others up. In come
 * snapshots of stages; it owns no thread.
 */
@NullMarked
package dev.weir.cli.pipeline;

import org.jspecify.annotations.NullMarked;
