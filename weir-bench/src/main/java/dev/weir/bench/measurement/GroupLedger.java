package dev.weir.bench.measurement;

import dev.weir.driver.LedgerFigures;
import dev.weir.driver.NumberRuns;
import dev.weir.driver.Report;
import java.util.Arrays;
import java.util.BitSet;

/**
 * What all passes of all members of a group delivered together: they hand records on to each other, and each knows its own
 * only. Confined to one thread. What came again is allowed, as the scenarios promise at least once.
 */
final class GroupLedger {
    private final NumberRuns[] partitions;
    private long again;
    private long foreign;
    private long retried;

    GroupLedger(int partitions) {
        this.partitions = new NumberRuns[partitions];
        Arrays.fill(this.partitions, NumberRuns.NONE);
    }

    /** The numbers that came in a pass. */
    void add(Report.Delivered told) {
        for (int partition = 0; partition < partitions.length; partition++) {
            NumberRuns numbers = NumberRuns.decoded(told.partitions().get(partition));
            again += partitions[partition].countCommon(numbers);
            partitions[partition] = partitions[partition].plus(numbers);
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
            NumberRuns came = partitions[partition];
            long written = came.countBelow(ends[partition]);
            distinct += written;
            missing += ends[partition] - written;
            never += came.count() - written;
        }
        return new LedgerFigures(distinct, missing, 0, 0, never, retried, again);
    }

    /** The numbers below {@code end} that did not come. */
    BitSet missing(int partition, long end) {
        BitSet missing = new BitSet();
        collect(partitions[partition], 0, end, missing);
        return missing;
    }

    private static void collect(NumberRuns came, long from, long to, BitSet missing) {
        long count = came.countBelow(to) - came.countBelow(from);
        if (count == 0) {
            missing.set((int) from, (int) to);
        } else if (count < to - from) {
            long middle = (from + to) / 2;
            collect(came, from, middle, missing);
            collect(came, middle, to, missing);
        }
    }
}
