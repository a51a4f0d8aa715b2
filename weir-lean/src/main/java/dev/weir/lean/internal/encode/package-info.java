/**
 * Records become record batches: bytes of a caller come in, a batch as brokers take it goes out. A batch is written by
 * one thread at a time; buffers belong to the batch.
 */
@NullMarked
package dev.weir.lean.internal.encode;

import org.jspecify.annotations.NullMarked;
