/**
 * The hooks that let a test harness replace Kafka and the clock. They provide the client and related objects for the
 * address in the settings. Not intended for applications; may change in any release. The package also contains the
 * types through which other modules obtain information about individual records.
 */
@NullMarked
package dev.weir.kafka.spi;

import org.jspecify.annotations.NullMarked;
