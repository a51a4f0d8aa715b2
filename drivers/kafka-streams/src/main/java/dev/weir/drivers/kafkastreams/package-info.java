/** Kafka Streams. All is run by the main thread of the driver's process, unless the library has threads of its own. */
@NullMarked
package dev.weir.drivers.kafkastreams;

import org.jspecify.annotations.NullMarked;
