/**
 * Reading of record batches. The input consists of bytes from a broker. The output consists of records, which are shown
 * one at a time by a reused view. Runs on the polling thread. The caller owns the input, and the reader owns the
 * decompressed data.
 */
@NullMarked
package dev.weir.lean.internal.batch;

import org.jspecify.annotations.NullMarked;
