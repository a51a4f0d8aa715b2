package dev.weir.lean;

import org.jspecify.annotations.Nullable;

/**
 * A consumer's counters since it was opened. Immutable; {@link LeanConsumer#metrics} creates a snapshot and may be
 * called from any thread.
 */
public final class LeanMetrics {

    private final Values values;

    private LeanMetrics(Values values) {
        this.values = values;
    }

    /** Returns a builder in which all counters are 0. */
    public static Builder builder() {
        return new Builder();
    }
    /** The number of records delivered. */
    public long records() {
        return values.records;
    }

    /**
     * The size in bytes of all fully processed batches, as sent by the brokers. Includes the batches counted by
     * {@link #leftOutBatches}.
     */
    public long bytes() {
        return values.bytes;
    }

    /** The number of fully processed batches. Includes the batches counted by {@link #leftOutBatches}. */
    public long batches() {
        return values.batches;
    }

    /** The number of batches not delivered because they are control batches or belong to aborted transactions. */
    public long leftOutBatches() {
        return values.leftOutBatches;
    }

    /** The number of batches skipped because of {@link CorruptBatchPolicy#SKIP}. */
    public long corruptBatches() {
        return values.corruptBatches;
    }

    /** The number of fetch responses received. */
    public long fetches() {
        return values.fetches;
    }

    /** The number of fetch responses without records. */
    public long emptyFetches() {
        return values.emptyFetches;
    }

    /** The number of connections opened. */
    public long connects() {
        return values.connects;
    }

    /** The number of connections lost. */
    public long disconnects() {
        return values.disconnects;
    }

    /** The number of times that a partition moved to another broker or lost its broker. */
    public long relocations() {
        return values.relocations;
    }

    /** The number of times that a position was not in the log and was reset as the policy requires. */
    public long resets() {
        return values.resets;
    }

    /** The number of metadata responses received. */
    public long metadataRefreshes() {
        return values.metadataRefreshes;
    }

    /** The total time in milliseconds for which brokers throttled the consumer. */
    public long throttledMillis() {
        return values.throttledMillis;
    }

    /**
     * The number of bytes copied out of the buffers of paused partitions, so that other partitions can use those
     * buffers.
     */
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

    /**
     * Builds {@link LeanMetrics}. Used by the engine, and by tests of code that reads the counters. Not thread-safe.
     */
    public static final class Builder {

        private long records;
        private long bytes;
        private long batches;
        private long leftOutBatches;
        private long corruptBatches;
        private long fetches;
        private long emptyFetches;
        private long connects;
        private long disconnects;
        private long relocations;
        private long resets;
        private long metadataRefreshes;
        private long throttledMillis;
        private long copiedBytes;

        private Builder() {}

        /** See {@link LeanMetrics#records()}. */
        public Builder records(long value) {
            records = value;
            return this;
        }

        /** See {@link LeanMetrics#bytes()}. */
        public Builder bytes(long value) {
            bytes = value;
            return this;
        }

        /** See {@link LeanMetrics#batches()}. */
        public Builder batches(long value) {
            batches = value;
            return this;
        }

        /** See {@link LeanMetrics#leftOutBatches()}. */
        public Builder leftOutBatches(long value) {
            leftOutBatches = value;
            return this;
        }

        /** See {@link LeanMetrics#corruptBatches()}. */
        public Builder corruptBatches(long value) {
            corruptBatches = value;
            return this;
        }

        /** See {@link LeanMetrics#fetches()}. */
        public Builder fetches(long value) {
            fetches = value;
            return this;
        }

        /** See {@link LeanMetrics#emptyFetches()}. */
        public Builder emptyFetches(long value) {
            emptyFetches = value;
            return this;
        }

        /** See {@link LeanMetrics#connects()}. */
        public Builder connects(long value) {
            connects = value;
            return this;
        }

        /** See {@link LeanMetrics#disconnects()}. */
        public Builder disconnects(long value) {
            disconnects = value;
            return this;
        }

        /** See {@link LeanMetrics#relocations()}. */
        public Builder relocations(long value) {
            relocations = value;
            return this;
        }

        /** See {@link LeanMetrics#resets()}. */
        public Builder resets(long value) {
            resets = value;
            return this;
        }

        /** See {@link LeanMetrics#metadataRefreshes()}. */
        public Builder metadataRefreshes(long value) {
            metadataRefreshes = value;
            return this;
        }

        /** See {@link LeanMetrics#throttledMillis()}. */
        public Builder throttledMillis(long value) {
            throttledMillis = value;
            return this;
        }

        /** See {@link LeanMetrics#copiedBytes()}. */
        public Builder copiedBytes(long value) {
            copiedBytes = value;
            return this;
        }

        /** Creates the immutable counters. */
        public LeanMetrics build() {
            return new LeanMetrics(new Values(
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
                    copiedBytes));
        }
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
