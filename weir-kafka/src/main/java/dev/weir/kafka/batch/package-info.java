/**
 * Handlers that process several records at once, for {@link dev.weir.kafka.KafkaFlow#handleBatch}. A handler is owned
 * by the user and called by the flow's threads. Outcomes are immutable.
 */
@NullMarked
package dev.weir.kafka.batch;

import org.jspecify.annotations.NullMarked;
