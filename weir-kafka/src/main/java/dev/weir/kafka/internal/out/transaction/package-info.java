/**
 * Transactions of consumed offsets and produced records: records come in from the pipeline, offsets from the consumer,
 * and both are committed together. The pipeline's thread writes, the consumer's owner thread draws the line between two
 * transactions, and a thread of the run's own flushes and commits; what they share is in
 * {@link dev.weir.kafka.internal.out.transaction.TransactionsOfRun}.
 */
@NullMarked
package dev.weir.kafka.internal.out.transaction;

import org.jspecify.annotations.NullMarked;
