package dev.weir.bench.fill;

import dev.weir.bench.workload.WorkloadPoint;

/**
 * The plan for writing the numbered records of a partition: without transactions, or in transactions, some of them
 * aborted. Immutable.
 *
 * <pre>
 * | aborted records, marker | records 0 to n-1, marker | records n to 2n-1, marker | aborted records, marker | ...
 * </pre>
 *
 * <p>Aborted transactions lie evenly between the others; the last one is committed.
 *
 * @param records of a partition, numbered from 0
 * @param perTransaction how many of them, in each partition, a transaction has; 0: there are no transactions
 * @param abortedShare of all transactions
 */
public record FillPlan(long records, int perTransaction, double abortedShare) {

    /** The number in aborted records; a driver that delivers it has read aborted data. */
    static final long ABORTED = -1;

    public static FillPlan of(WorkloadPoint point, long recordsPerPartition) {
        return new FillPlan(recordsPerPartition, point.transactionRecords(), point.abortedShare());
    }

    boolean isTransactional() {
        return perTransaction > 0;
    }

    /** The number of aborted transactions directly before that committed one, counted from 0. */
    int abortedBefore(long transaction) {
        return (int) (aborted(transaction + 1) - aborted(transaction));
    }

    /** The number of aborted transactions among the first {@code committed} committed ones. */
    private long aborted(long committed) {
        return (long) (committed * abortedShare / (1 - abortedShare));
    }

    /** The end of a partition when all is written: each transaction has a marker there. */
    public long endOffset() {
        if (!isTransactional()) {
            return records;
        }
        long committed = Math.ceilDiv(records, perTransaction);
        return records + committed + aborted(committed) * (perTransaction + 1L);
    }

    /**
     * The smallest committed offset of a group that has read everything: past the last record, with or without its
     * marker.
     */
    public long leastCommitted() {
        return isTransactional() ? endOffset() - 1 : endOffset();
    }

    /** Part of the name of a topic; empty without transactions. */
    public String suffix() {
        return isTransactional() ? "-t" + perTransaction + "-a" + abortedShare : "";
    }
}
