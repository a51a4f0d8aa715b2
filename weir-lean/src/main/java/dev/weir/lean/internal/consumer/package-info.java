/**
 * Fetching of partitions from their brokers. Runs on the polling thread. Permanent failures are thrown; transient
 * failures are retried.
 */
@NullMarked
package dev.weir.lean.internal.consumer;

import org.jspecify.annotations.NullMarked;
