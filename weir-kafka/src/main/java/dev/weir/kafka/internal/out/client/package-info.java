/**
 * The client behind a producing stage: Kafka's client, or a lean producer in its place. Records come in from any
 * thread; answers go out on the producer's own thread; the opener of a producer closes it. A thread of each run checks
 * whether the clients can still answer, and fails a run that waits in vain.
 */
@NullMarked
package dev.weir.kafka.internal.out.client;

import org.jspecify.annotations.NullMarked;
