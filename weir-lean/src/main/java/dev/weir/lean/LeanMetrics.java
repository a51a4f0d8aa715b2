package dev.weir.lean;

import org.jspecify.annotations.Nullable;

/** Counters of a consumer since it was opened. Immutable; {@link LeanConsumer#metrics} takes one from any thread. */
public final class LeanMetrics {

    private final Values values;

    private LeanMetrics(
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
            long copiedBytes) {
        this.values = new Values(
                records,
                bytes,
                batches,
                leftOutBatches,
                corruptBatches,
                fetches,
                emptyFetches,
                connects,
                disconnects,
                relocations,
                resets,
                metadataRefreshes,
                throttledMillis,
                copiedBytes);
    }

    /** Creates an instance for tests of code that reads it. In a run the engine creates it. */
    public static LeanMetrics of(
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
            long copiedBytes) {
        return new LeanMetrics(
                records,
                bytes,
                batches,
                leftOutBatches,
                corruptBatches,
                fetches,
                emptyFetches,
                connects,
                disconnects,
                relocations,
                resets,
                metadataRefreshes,
                throttledMillis,
                copiedBytes);
    }

    /** Records delivered. */
    public long records() {
        return values.records;
    }

    /** Bytes of the finished batches, as sent by the brokers. */
    public long bytes() {
        return values.bytes;
    }

    /** Batches finished. */
    public long batches() {
        return values.batches;
    }

    /** Control batches, and batches of aborted transactions. */
    public long leftOutBatches() {
        return values.leftOutBatches;
    }

    /** Batches skipped by {@link CorruptBatchPolicy#SKIP}. */
    public long corruptBatches() {
        return values.corruptBatches;
    }

    /** Fetches answered. */
    public long fetches() {
        return values.fetches;
    }

    /** Fetches answered without records. */
    public long emptyFetches() {
        return values.emptyFetches;
    }

    /** Connections made. */
    public long connects() {
        return values.connects;
    }

    /** Connections lost. */
    public long disconnects() {
        return values.disconnects;
    }

    /** The number of times that partitions moved to another broker, or lost theirs. */
    public long relocations() {
        return values.relocations;
    }

    /** Positions that were not in the log and were reset by the policy. */
    public long resets() {
        return values.resets;
    }

    /** Metadata requests answered. */
    public long metadataRefreshes() {
        return values.metadataRefreshes;
    }

    /** Time for which brokers throttled the consumer. */
    public long throttledMillis() {
        return values.throttledMillis;
    }

    /** Bytes copied from buffers of paused partitions to free those buffers for others. */
    public long copiedBytes() {
        return values.copiedBytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LeanMetrics that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "LeanMetrics");
    }

    private record Values(
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
}
