/**
 * Hooks through which a test harness replaces Kafka and time: an address from the settings comes in, a client and its
 * belongings go out. Not for applications; may change with any release. Also contains the types through which other
 * modules get facts about single records.
 */
@NullMarked
package dev.weir.kafka.spi;

import org.jspecify.annotations.NullMarked;
