/**
 * Stages that start substreams while the pipeline is running. If substreams run one after the other, they are pulled on
 * the thread of their stage. The substreams of keys are also pulled on this thread, unless they have their own threads.
 * Each of the other substreams has its own thread.
 */
@NullMarked
package dev.weir.stream.internal.substream;

import org.jspecify.annotations.NullMarked;
