package dev.weir.bench.figures;

import dev.weir.driver.LedgerFigures;
import dev.weir.driver.NotedNumbers;
import dev.weir.driver.NumberRuns;
import dev.weir.driver.Report;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/** Combines the deliveries of all members of a group. Confined to one thread. */
public final class GroupLedger {
    private final NumberRuns[] partitions; // of all topics
    private final int ofTopic; // number of partitions per topic
    private final long[] again; // by topic
    private final long[] foreign;
    private long retried;

    /** Creates an empty ledger for partitions that are divided evenly among topics. */
    public GroupLedger(int partitions, int topics) {
        this.partitions = new NumberRuns[partitions];
        this.ofTopic = partitions / topics;
        this.again = new long[topics];
        this.foreign = new long[topics];
        Arrays.fill(this.partitions, NumberRuns.NONE);
    }

    /** Adds the numbers of the records that a pass delivered. */
    public void add(Report.Delivered told) {
        var unused = add(told.partitions());
    }

    /** Adds the record numbers that a killed process noted. Returns how many distinct records these are. */
    public long add(NotedNumbers noted) {
        for (int partition = 0; partition < partitions.length; partition++) {
            again[partition / ofTopic] += noted.again().get(partition);
        }
        return add(noted.partitions());
    }

    private long add(List<String> byPartition) {
        long count = 0;
        for (int partition = 0; partition < partitions.length; partition++) {
            NumberRuns numbers = NumberRuns.decoded(byPartition.get(partition));
            count += numbers.count();
            again[partition / ofTopic] += partitions[partition].countCommon(numbers);
            partitions[partition] = partitions[partition].plus(numbers);
        }
        return count;
    }

    /** Adds the delivery counts of a pass. */
    public void add(LedgerFigures ofPass) {
        List<LedgerFigures> topics = again.length == 1 ? List.of(ofPass) : ofPass.topics();
        for (int topic = 0; topic < again.length; topic++) {
            LedgerFigures figures = topics.get(topic);
            again[topic] += figures.duplicates() + figures.redelivered();
            foreign[topic] += figures.foreign();
        }
        retried += ofPass.retried();
    }

    /**
     * Returns the counts of received, missing and repeated records.
     *
     * @param ends the number of written records in each partition
     */
    public LedgerFigures figures(long[] ends) {
        LedgerFigures sum = LedgerFigures.ofTopics(IntStream.range(0, again.length)
                .mapToObj(topic -> figures(topic, ends))
                .toList());
        return sum.plus(new LedgerFigures(0, 0, 0, 0, 0, retried, 0));
    }

    private LedgerFigures figures(int topic, long[] ends) {
        long distinct = 0;
        long missing = 0;
        long never = foreign[topic];
        for (int partition = topic * ofTopic; partition < (topic + 1) * ofTopic; partition++) {
            NumberRuns came = partitions[partition];
            long written = came.countBelow(ends[partition]);
            distinct += written;
            missing += ends[partition] - written;
            never += came.count() - written;
        }
        return new LedgerFigures(distinct, missing, 0, 0, never, 0, again[topic]);
    }

    /** Returns the numbers below {@code end} whose records did not arrive. */
    public BitSet missing(int partition, long end) {
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
