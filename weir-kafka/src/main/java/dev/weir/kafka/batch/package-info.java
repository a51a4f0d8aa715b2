/**
 * Handlers of several records at once, for {@link dev.weir.kafka.KafkaFlow#handleBatch}. A handler is called by threads
 * of the flow and owned by the user; outcomes are immutable.
 */
@NullMarked
package dev.weir.kafka.batch;

import org.jspecify.annotations.NullMarked;
