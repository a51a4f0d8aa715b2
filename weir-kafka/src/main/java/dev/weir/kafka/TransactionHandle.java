package dev.weir.kafka;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A view of the transactions of a running {@link ExactlyOnceFlow}; see {@code RunningPipeline.handles}. Thread-safe.
 */
public interface TransactionHandle {

    /** Returns the outcomes so far. */
    Snapshot snapshot();

    /** The numbers of committed and aborted transactions in a run, and the commit latencies. Immutable. */
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

        /** Creates a snapshot, for tests. */
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

        /** The number of transactions committed, including transactions that contain only offsets. */
        public long committed() {
            return values.committed;
        }

        /** The number of transactions aborted. None of their output became visible. */
        public long aborted() {
            return values.aborted;
        }

        /**
         * The number of output records in aborted transactions. After an abort, their inputs are read again. At the end
         * of a bounded read, the output records are written again instead.
         */
        public long rewoundRecords() {
            return values.rewoundRecords;
        }

        /** The number of transactions that accepted records while the previous one was being committed. */
        public long overlapped() {
            return values.overlapped;
        }

        /**
         * The number of times that the brokers fenced a producer of this run, after another producer took its id or its
         * transaction timed out.
         */
        public long fenced() {
            return values.fenced;
        }

        /**
         * The median time from a transaction's last record to its confirmed commit. {@link #commitP99} and this value
         * may be up to 7 % too high.
         */
        public Duration commitMedian() {
            return values.commitMedian;
        }

        /** The 99th percentile of the times from a transaction's last record to its confirmed commit. */
        public Duration commitP99() {
            return values.commitP99;
        }

        /** The longest time from a transaction's last record to its confirmed commit. */
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
