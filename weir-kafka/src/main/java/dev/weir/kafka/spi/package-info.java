/**
 * Hooks with which a test harness replaces Kafka and the clock: given the address in the settings, they return the
 * client and related objects to use. Not intended for applications; may change in any release. The package also
 * contains the types that other modules use to obtain information about individual records.
 */
@NullMarked
package dev.weir.kafka.spi;

import org.jspecify.annotations.NullMarked;
