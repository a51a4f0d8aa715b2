/**
 * Hooks that let a test harness replace Kafka and the clock. The harness registers substitutes for the clients and
 * related objects under an address. All consumers and producers with this address in their settings use the
 * substitutes. Not intended for applications; may change in any release. The package also contains
 * {@link dev.weir.kafka.spi.RecordTracing} and {@link dev.weir.kafka.spi.OfRecord}, for individual records.
 */
@NullMarked
package dev.weir.kafka.spi;

import org.jspecify.annotations.NullMarked;
