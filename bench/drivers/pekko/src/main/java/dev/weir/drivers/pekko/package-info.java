/**
 * The Pekko Connectors Kafka drivers. Everything runs on the main thread of the driver's process, except for the work
 * of the library's own threads.
 */
@NullMarked
package dev.weir.drivers.pekko;

import org.jspecify.annotations.NullMarked;
