/**
 * The lean producer. Callers append records to batches under a partition's lock. Everything else, including calls of
 * the listener, runs on the producer's own thread.
 */
@NullMarked
package dev.weir.lean.internal.producer;

import org.jspecify.annotations.NullMarked;
