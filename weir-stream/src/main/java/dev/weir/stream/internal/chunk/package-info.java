/**
 * The stage that computes on batches with several workers: batches come in from a feeding segment, workers divide each
 * into chunks, and the downstream segment pulls the batches in input order. All shared state is under the stage's lock,
 * except a batch in flight.
 */
@NullMarked
package dev.weir.stream.internal.chunk;

import org.jspecify.annotations.NullMarked;
