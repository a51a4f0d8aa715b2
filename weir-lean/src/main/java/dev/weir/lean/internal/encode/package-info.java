/**
 * Encoding of records into record batches: a caller's bytes come in, a batch in the brokers' format goes out. One
 * thread at a time writes a batch; buffers belong to the batch.
 */
@NullMarked
package dev.weir.lean.internal.encode;

import org.jspecify.annotations.NullMarked;
