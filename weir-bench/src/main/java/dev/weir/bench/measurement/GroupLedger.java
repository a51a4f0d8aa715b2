package dev.weir.bench.measurement;

import dev.weir.driver.LedgerFigures;
import dev.weir.driver.RecordNumbers;
import dev.weir.driver.Report;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What all passes of all members of a group delivered together: they hand records on to each other, and each knows its own
 * only. Confined to one thread. What came again is allowed, as the scenarios promise at least once.
 */
final class GroupLedger {
    private final List<BitSet> partitions;
    private long again;
    private long foreign;
    private long retried;

    GroupLedger(int partitions) {
        this.partitions = IntStream.range(0, partitions)
                .mapToObj(partition -> new BitSet())
                .toList();
    }

    /** The numbers that came in a pass. */
    void add(Report.Delivered told) {
        for (int partition = 0; partition < partitions.size(); partition++) {
            BitSet numbers = RecordNumbers.decoded(told.partitions().get(partition));
            BitSet before = (BitSet) partitions.get(partition).clone();
            partitions.get(partition).or(numbers);
            before.and(numbers);
            again += before.cardinality();
        }
    }

    /** What else a pass knows of what came in it. */
    void add(LedgerFigures ofPass) {
        again += ofPass.duplicates() + ofPass.redelivered();
        foreign += ofPass.foreign();
        retried += ofPass.retried();
    }

    /**
     * What came of what was written.
     *
     * @param ends how many records each partition has, numbered from 0
     */
    LedgerFigures figures(long[] ends) {
        long distinct = 0;
        long missing = 0;
        long never = foreign;
        for (int partition = 0; partition < ends.length; partition++) {
            BitSet came = partitions.get(partition);
            int end = Math.toIntExact(ends[partition]);
            int written = came.get(0, end).cardinality();
            distinct += written;
            missing += end - written;
            never += came.cardinality() - written;
        }
        return new LedgerFigures(distinct, missing, 0, 0, never, retried, again);
    }
}
