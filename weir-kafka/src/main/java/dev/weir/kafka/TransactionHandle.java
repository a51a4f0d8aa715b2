package dev.weir.kafka;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Shows the transactions of a running {@link ExactlyOnceFlow}; see {@code RunningPipeline.handles}. Thread-safe. */
public interface TransactionHandle {

    /** The outcomes so far. */
    Snapshot snapshot();

    /** Counts the transactions of a run by their outcome. Immutable. */
    final class Snapshot {

        private final Values values;

        private Snapshot(
                long committed,
                long aborted,
                long rewoundRecords,
                long overlapped,
                long fenced,
                Duration commitMedian,
                Duration commitP99,
                Duration commitMax) {
            this.values = new Values(
                    committed, aborted, rewoundRecords, overlapped, fenced, commitMedian, commitP99, commitMax);
        }

        /** For tests of code that reads one. */
        public static Snapshot of(
                long committed,
                long aborted,
                long rewoundRecords,
                long overlapped,
                long fenced,
                Duration commitMedian,
                Duration commitP99,
                Duration commitMax) {
            return new Snapshot(
                    committed, aborted, rewoundRecords, overlapped, fenced, commitMedian, commitP99, commitMax);
        }

        /** Transactions that are committed, also those of offsets alone. */
        public long committed() {
            return values.committed;
        }

        /** Transactions that left nothing visible. */
        public long aborted() {
            return values.aborted;
        }

        /**
         * Output records in those; their inputs were read again or, at the end of a bounded read,
         * they were written again.
         */
        public long rewoundRecords() {
            return values.rewoundRecords;
        }

        /** Transactions that began to fill while the one before was being committed. */
        public long overlapped() {
            return values.overlapped;
        }

        /**
         * The number of times that brokers told a producer of this run that another has taken its place, or that its
         * time was over.
         */
        public long fenced() {
            return values.fenced;
        }

        /**
         * The median of the times from the last record of a transaction to its confirmed commit; at most 7 % too high,
         * as the next.
         */
        public Duration commitMedian() {
            return values.commitMedian;
        }

        /** The 99th percentile of these. */
        public Duration commitP99() {
            return values.commitP99;
        }

        /** The longest of them. */
        public Duration commitMax() {
            return values.commitMax;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Snapshot that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("Values", "Snapshot");
        }

        private record Values(
                long committed,
                long aborted,
                long rewoundRecords,
                long overlapped,
                long fenced,
                Duration commitMedian,
                Duration commitP99,
                Duration commitMax) {

            Values {
                Objects.requireNonNull(commitMedian, "commitMedian");
                Objects.requireNonNull(commitP99, "commitP99");
                Objects.requireNonNull(commitMax, "commitMax");
            }
        }
    }
}
