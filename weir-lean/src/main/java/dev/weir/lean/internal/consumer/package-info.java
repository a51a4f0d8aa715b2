/**
 * Fetches partitions from their brokers. Runs on the polling thread. Transient failures are retried; permanent failures
 * are thrown.
 */
@NullMarked
package dev.weir.lean.internal.consumer;

import org.jspecify.annotations.NullMarked;
