/**
 * Transactions that contain produced records and the offsets of consumed ones. The records come from the pipeline, the
 * offsets from the consumer, and both are committed together. The pipeline's thread writes records, the consumer's
 * owner thread decides where a transaction ends, and a separate thread of the run flushes and commits. They share
 * {@link dev.weir.kafka.internal.out.transaction.TransactionsOfRun}.
 */
@NullMarked
package dev.weir.kafka.internal.out.transaction;

import org.jspecify.annotations.NullMarked;
