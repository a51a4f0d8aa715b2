/**
 * Transactions of produced records and the offsets of their inputs. The pipeline's thread writes records, the
 * consumer's thread decides where a transaction ends, and a separate thread flushes and commits. They share
 * {@link dev.weir.kafka.internal.out.transaction.TransactionsOfRun}.
 */
@NullMarked
package dev.weir.kafka.internal.out.transaction;

import org.jspecify.annotations.NullMarked;
