/**
 * Reads record batches. The input is bytes from a broker; a reused view shows one record at a time. Runs on the polling
 * thread. The caller owns the input, and the reader owns the decompressed data.
 */
@NullMarked
package dev.weir.lean.internal.batch;

import org.jspecify.annotations.NullMarked;
