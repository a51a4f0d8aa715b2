/**
 * The client of a producing stage: Kafka's client or a lean producer. Any thread may send records. Outcomes are
 * reported on the producer's own thread. The code that opens a producer closes it. A monitoring thread per run checks
 * the clients, and fails a run whose client can no longer complete records.
 */
@NullMarked
package dev.weir.kafka.internal.out.client;

import org.jspecify.annotations.NullMarked;
