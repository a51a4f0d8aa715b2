/**
 * The client behind a producing stage: Kafka's client, or a lean producer in its place. Records come in from any
 * thread; answers go out on the producer's own thread, and whoever opens a producer closes it.
 */
@NullMarked
package dev.weir.kafka.internal.send;

import org.jspecify.annotations.NullMarked;
