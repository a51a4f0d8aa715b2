/**
 * Fetches records on the owner thread, with Kafka's client or a lean consumer. Also contains the owner thread's waits.
 * Uses {@code lookup}.
 */
@NullMarked
package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.NullMarked;
