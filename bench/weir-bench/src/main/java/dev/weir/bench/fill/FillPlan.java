package dev.weir.bench.fill;

import dev.weir.bench.workload.WorkloadPoint;

/**
 * The plan for writing the numbered records of a partition. The plan may use transactions and may abort some of them.
 * Immutable.
 *
 * <pre>
 * | aborted records, marker | records 0 to n-1, marker | records n to 2n-1, marker | aborted records, marker | ...
 * </pre>
 *
 * <p>Aborted transactions are spread evenly among the committed ones. The last transaction is committed.
 *
 * @param records number of records in a partition, numbered from 0
 * @param perTransaction number of records that a transaction has in each partition; 0 for no transactions
 * @param abortedShare fraction of all transactions that are aborted
 */
public record FillPlan(long records, int perTransaction, double abortedShare) {

    /** The number stored in aborted records. A driver that delivers it has read aborted data. */
    static final long ABORTED = -1;

    public static FillPlan of(WorkloadPoint point, long recordsPerPartition) {
        return new FillPlan(recordsPerPartition, point.transactionRecords(), point.abortedShare());
    }

    boolean isTransactional() {
        return perTransaction > 0;
    }

    /**
     * Returns the number of aborted transactions directly before a committed one. Committed transactions are numbered
     * from 0.
     */
    int abortedBefore(long transaction) {
        return (int) (aborted(transaction + 1) - aborted(transaction));
    }

    /** Returns the number of aborted transactions among the first {@code committed} committed ones. */
    private long aborted(long committed) {
        return (long) (committed * abortedShare / (1 - abortedShare));
    }

    /**
     * Returns the end offset of a partition that contains all records. Each transaction adds a marker to the partition.
     */
    public long endOffset() {
        if (!isTransactional()) {
            return records;
        }
        long committed = Math.ceilDiv(records, perTransaction);
        return records + committed + aborted(committed) * (perTransaction + 1L);
    }

    /** Returns the smallest offset that a group commits after reading everything: the offset after the last record. */
    public long leastCommitted() {
        return isTransactional() ? endOffset() - 1 : endOffset();
    }

    /** Returns the suffix of a topic's name that describes the transactions; empty without transactions. */
    public String suffix() {
        return isTransactional() ? "-t" + perTransaction + "-a" + abortedShare : "";
    }
}
