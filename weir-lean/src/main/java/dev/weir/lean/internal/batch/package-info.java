/**
 * Reading of record batches. The input is bytes from a broker; the output is records, all shown by one flyweight view.
 * Runs on the polling thread. The caller owns the bytes, and the reader owns decompressed data.
 */
@NullMarked
package dev.weir.lean.internal.batch;

import org.jspecify.annotations.NullMarked;
