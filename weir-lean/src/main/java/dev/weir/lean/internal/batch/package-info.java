/**
 * Record batches: bytes as a broker sent them come in, records in the view of one flyweight go out. Runs on the thread
 * that polls; the bytes belong to the caller, what is decompressed to the reader.
 */
@NullMarked
package dev.weir.lean.internal.batch;

import org.jspecify.annotations.NullMarked;
