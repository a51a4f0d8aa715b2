/**
 * Hooks that let a test harness replace Kafka and the clock. The harness registers substitutes for the clients and
 * related objects under an address. They are used by all consumers and producers with this address in their settings.
 * Not intended for applications; may change in any release. The package also contains the types through which other
 * modules obtain information about individual records.
 */
@NullMarked
package dev.weir.kafka.spi;

import org.jspecify.annotations.NullMarked;
