/**
 * Stages that start substreams while the pipeline is running. A stage pulls some substreams on its own thread. Each
 * other substream has its own thread.
 */
@NullMarked
package dev.weir.stream.internal.substream;

import org.jspecify.annotations.NullMarked;
