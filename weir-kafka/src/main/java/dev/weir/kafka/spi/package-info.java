/**
 * The stand-ins of a test harness for Kafka and for time: in comes the address that settings name, out go a client
 * and what belongs to it. Not for applications; it may change with any release. Beside them stands what other
 * modules may know of single records.
 */
@NullMarked
package dev.weir.kafka.spi;

import org.jspecify.annotations.NullMarked;
