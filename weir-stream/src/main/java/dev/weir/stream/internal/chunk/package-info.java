/**
 * The stage that processes batches with several workers: batches arrive from a feeding segment, workers divide each of
 * them into chunks, and the downstream segment pulls the batches in input order. All shared state is guarded by the
 * stage's lock, except a batch in flight.
 */
@NullMarked
package dev.weir.stream.internal.chunk;

import org.jspecify.annotations.NullMarked;
