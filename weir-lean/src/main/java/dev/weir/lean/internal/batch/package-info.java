/**
 * Record batches: bytes from a broker come in, records in the view of one flyweight go out. Runs on the polling thread;
 * the bytes belong to the caller, decompressed data to the reader.
 */
@NullMarked
package dev.weir.lean.internal.batch;

import org.jspecify.annotations.NullMarked;
