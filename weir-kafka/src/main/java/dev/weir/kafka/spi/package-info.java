/**
 * Hooks for a test harness that replaces Kafka and the clock. The harness registers substitutes under an address, for
 * all consumers and producers with this address in their settings. Not intended for applications; may change in any
 * release. Also contains {@link dev.weir.kafka.spi.RecordTracing} and {@link dev.weir.kafka.spi.OfRecord}.
 */
@NullMarked
package dev.weir.kafka.spi;

import org.jspecify.annotations.NullMarked;
