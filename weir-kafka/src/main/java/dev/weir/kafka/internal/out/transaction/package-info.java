/**
 * Transactions of consumed offsets and produced records: records come in from the pipeline, offsets from the consumer,
 * and both are committed together. The pipeline's thread writes, the consumer's owner thread cuts between two
 * transactions, and a separate thread of the run flushes and commits. They share {@link
 * dev.weir.kafka.internal.out.transaction.TransactionsOfRun}.
 */
@NullMarked
package dev.weir.kafka.internal.out.transaction;

import org.jspecify.annotations.NullMarked;
