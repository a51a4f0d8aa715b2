/**
 * Encoding of records into batches. The input is a caller's bytes; the output is a batch in the brokers' format. One
 * thread at a time writes a batch. Each batch owns its buffers.
 */
@NullMarked
package dev.weir.lean.internal.encode;

import org.jspecify.annotations.NullMarked;
