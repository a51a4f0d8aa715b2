/**
 * Stages that start substreams while the pipeline is running. Substreams that run one after the other, and the
 * substreams of keys, are pulled on the thread of their stage if they have no threads of their own. Each other
 * substream has its own thread.
 */
@NullMarked
package dev.weir.stream.internal.substream;

import org.jspecify.annotations.NullMarked;
