package dev.weir.kafka;

import java.time.Duration;
import java.util.Objects;

/** Shows the transactions of a running {@link ExactlyOnceFlow}; see {@code RunningPipeline.handles}. Thread-safe. */
public interface TransactionHandle {

    /** What became of them so far. */
    Snapshot snapshot();

    /**
     * What became of a run's transactions. Immutable.
     *
     * @param committed transactions that are committed, also those of offsets alone
     * @param aborted transactions of which nothing became visible
     * @param rewoundRecords output records in those, whose inputs were read again
     * @param overlapped transactions that began to fill while the one before was being committed
     * @param fenced how often the brokers told a producer of this run that another has taken its place, or that its time
     *     was over
     * @param commitMedian the median of the times from the last record of a transaction to its confirmed commit; at most 7
     *     % too high, as the next
     * @param commitP99 the 99th percentile of these
     * @param commitMax the longest of them
     */
    record Snapshot(
            long committed,
            long aborted,
            long rewoundRecords,
            long overlapped,
            long fenced,
            Duration commitMedian,
            Duration commitP99,
            Duration commitMax) {

        /** Refuses null. */
        public Snapshot {
            Objects.requireNonNull(commitMedian, "commitMedian");
            Objects.requireNonNull(commitP99, "commitP99");
            Objects.requireNonNull(commitMax, "commitMax");
        }
    }
}
