/**
 * Encoding of records into batches. The input is a caller's records; the output is a batch in the broker's format. A
 * batch is written by one thread at a time, and owns its buffers.
 */
@NullMarked
package dev.weir.lean.internal.encode;

import org.jspecify.annotations.NullMarked;
