/**
 * Substreams, which are started while the stream is running. Consecutive substreams, and the streams of keys that have
 * no threads of their own, are pulled on the stage's thread; each of the others has its own segment.
 */
@NullMarked
package dev.weir.stream.internal.substream;

import org.jspecify.annotations.NullMarked;
