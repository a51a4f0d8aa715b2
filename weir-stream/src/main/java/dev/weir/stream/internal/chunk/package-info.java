/**
 * The stage that processes batches with several workers. A feeding thread stores batches, workers divide them into
 * chunks, and the downstream thread pulls the batches in input order. The stage's lock guards all shared state, except
 * for batches in flight, which are thread-safe.
 */
@NullMarked
package dev.weir.stream.internal.chunk;

import org.jspecify.annotations.NullMarked;
