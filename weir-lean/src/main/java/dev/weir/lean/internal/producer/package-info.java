/**
 * Batches of partitions, the brokers that lead them, and the sending of the ones to the others. Callers fill batches
 * under a partition's lock; all else runs on the producer's own thread, which also calls the listener.
 */
@NullMarked
package dev.weir.lean.internal.producer;

import org.jspecify.annotations.NullMarked;
