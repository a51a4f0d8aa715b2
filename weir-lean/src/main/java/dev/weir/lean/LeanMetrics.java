package dev.weir.lean;

import org.jspecify.annotations.Nullable;

/** Counters of a consumer since it was opened. Immutable; {@link LeanConsumer#metrics} takes one from any thread. */
public final class LeanMetrics {

    private final Values values;

    private LeanMetrics(Values values) {
        this.values = values;
    }

    /** A builder whose numbers are 0 and whose other values are empty. */
    public static Builder builder() {
        return new Builder();
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

    /** Gathers counters; in a run the engine does, elsewhere tests of code that reads them. Not thread-safe. */
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

        /** Freezes the values. */
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
