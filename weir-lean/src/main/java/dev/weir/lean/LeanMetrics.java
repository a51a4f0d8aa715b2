package dev.weir.lean;

/**
 * Counters of a consumer since it was opened. Immutable; {@link LeanConsumer#metrics} takes one from any thread.
 *
 * @param records delivered
 * @param bytes of the batches that are done with, as they were sent
 * @param batches done with
 * @param leftOutBatches control batches and those of aborted transactions
 * @param corruptBatches skipped by {@link CorruptBatchPolicy#SKIP}
 * @param fetches answered
 * @param emptyFetches among them without records
 * @param connects connections made
 * @param disconnects connections lost
 * @param relocations partitions that went to another broker, or had to ask for theirs
 * @param resets positions that were not in the log and were set by the policy
 * @param metadataRefreshes answered
 * @param throttledMillis as brokers have asked
 * @param copiedBytes of paused partitions, to free the buffers in which others are received
 */
public record LeanMetrics(
        long records,
        long bytes,
        long batches,
        long leftOutBatches,
        long corruptBatches,
        long fetches,
        long emptyFetches,
        long connects,
        long disconnects,
        long relocations,
        long resets,
        long metadataRefreshes,
        long throttledMillis,
        long copiedBytes) {}
