/**
 * Streams within the stream, started while it runs. Those that are wanted one after the other, and the groups of a key
 * that have no thread of their own, are pulled by the thread of their stage; the others each have a segment.
 */
@NullMarked
package dev.weir.stream.internal.substream;

import org.jspecify.annotations.NullMarked;
