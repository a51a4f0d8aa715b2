/**
 * Substreams, started while the stream runs. The stage's thread pulls consecutive substreams and the groups of keys
 * without threads of their own; all others have a segment each.
 */
@NullMarked
package dev.weir.stream.internal.substream;

import org.jspecify.annotations.NullMarked;
