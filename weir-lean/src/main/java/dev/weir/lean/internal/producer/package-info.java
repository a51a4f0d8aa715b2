/**
 * Partitions with their batches, the brokers, and sending. Callers fill batches under a partition's lock. Everything
 * else runs on the producer's own thread, which also calls the listener.
 */
@NullMarked
package dev.weir.lean.internal.producer;

import org.jspecify.annotations.NullMarked;
