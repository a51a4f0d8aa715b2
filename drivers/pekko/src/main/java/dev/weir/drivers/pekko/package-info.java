/**
 * Pekko Connectors Kafka. Everything runs on the main thread of the driver's process,
 * unless the library has threads of its own.
 */
@NullMarked
package dev.weir.drivers.pekko;

import org.jspecify.annotations.NullMarked;
