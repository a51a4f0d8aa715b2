/**
 * Transactions that contain produced records together with the offsets of their inputs. The pipeline provides the
 * records, and the consumer provides the offsets. The pipeline's thread writes records, the consumer's thread decides
 * where a transaction ends, and a separate thread of the run flushes and commits. They share
 * {@link dev.weir.kafka.internal.out.transaction.TransactionsOfRun}.
 */
@NullMarked
package dev.weir.kafka.internal.out.transaction;

import org.jspecify.annotations.NullMarked;
