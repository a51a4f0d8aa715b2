/**
 * Checks whether a run's Kafka clients for writing can still answer: what they show comes in, and the failure of a run
 * that waits for one in vain goes out. A thread of each run's own looks.
 */
@NullMarked
package dev.weir.kafka.internal.health;

import org.jspecify.annotations.NullMarked;
