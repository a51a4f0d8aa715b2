/**
 * The client of a producing stage: Kafka's client or a lean producer. Any thread may send records. Outcomes are
 * reported on the producer's own thread. Whoever opens a producer closes it. Each run has a thread that checks whether
 * its clients can still complete records. This thread fails a run that would otherwise wait forever.
 */
@NullMarked
package dev.weir.kafka.internal.out.client;

import org.jspecify.annotations.NullMarked;
