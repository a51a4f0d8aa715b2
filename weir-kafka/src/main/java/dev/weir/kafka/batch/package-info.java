/**
 * Handlers that process several records at once, for {@link dev.weir.kafka.KafkaFlow#handleBatch}. The flow's threads
 * call the handlers. Outcomes are immutable.
 */
@NullMarked
package dev.weir.kafka.batch;

import org.jspecify.annotations.NullMarked;
