/**
 * Incoming records: from Kafka's client or from a lean consumer, on the owner thread, which waits here. Uses
 * {@code lookup}.
 */
@NullMarked
package dev.weir.kafka.internal.in.fetch;

import org.jspecify.annotations.NullMarked;
