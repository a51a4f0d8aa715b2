/**
 * Partitions, their brokers, and fetching. Runs on the polling thread. Permanent failures are thrown; transient ones
 * are retried.
 */
@NullMarked
package dev.weir.lean.internal.consumer;

import org.jspecify.annotations.NullMarked;
