/**
 * Handlers that process several records at once, for {@link dev.weir.kafka.KafkaFlow#handleBatch}. A handler is called
 * by the flow's threads and owned by the user; outcomes are immutable.
 */
@NullMarked
package dev.weir.kafka.batch;

import org.jspecify.annotations.NullMarked;
