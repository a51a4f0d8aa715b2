/**
 * Stages that start substreams while the pipeline is running. Substreams that run one after the other, and the
 * substreams of keys if they have no threads of their own, are pulled on the stage's thread. Each of the other
 * substreams has its own segment.
 */
@NullMarked
package dev.weir.stream.internal.substream;

import org.jspecify.annotations.NullMarked;
