package dev.weir.bench.figures;

import dev.weir.driver.PartitionSpread;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The measured distribution of a load over partitions and processes, compared with the requested distribution.
 * Immutable; owns all arrays that it receives.
 */
public final class LoadSpread {
    /** Tolerated relative deviation of a partition's load from the requested load. */
    private static final double TOLERATED = 0.02;

    /** Additional tolerance in records. */
    private static final double TOLERATED_RECORDS = 3;

    /** Smallest mean number of records per process at which an idle process counts as an error. */
    private static final double CERTAIN = 100;

    private final long[] sentTo;
    private final List<long[]> cameTo;

    /**
     * Compares the records that were sent with the records that arrived.
     *
     * @param sentTo number of records by partition
     * @param cameTo number of records by process, for each group; each group receives all records
     */
    public LoadSpread(long[] sentTo, List<long[]> cameTo) {
        this.sentTo = sentTo;
        this.cameTo = cameTo;
    }

    /**
     * Returns whether a partition's load differs from the requested skew, or a process received nothing.
     *
     * @param skew the requested skew, as in {@link PartitionSpread}
     */
    public boolean isOtherThan(double skew) {
        double[] asked = PartitionSpread.shares(sentTo.length, skew);
        double sent = Arrays.stream(sentTo).sum();
        for (int partition = 0; partition < sentTo.length; partition++) {
            double due = asked[partition] * sent;
            if (Math.abs(sentTo[partition] - due) > TOLERATED * due + TOLERATED_RECORDS) {
                return true;
            }
        }
        return cameTo.stream().anyMatch(group -> hasIdle(group, sent));
    }

    /**
     * Returns whether a process of a group received nothing. Always false if there are more processes than partitions.
     */
    private boolean hasIdle(long[] group, double sent) {
        return group.length > 0
                && group.length <= sentTo.length
                && sent / group.length >= CERTAIN
                && Arrays.stream(group).anyMatch(came -> came == 0);
    }

    /** Returns the figures for the results, by name. */
    public Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        put("load: hottest partition %", "load: coldest partition %", sentTo, figures);
        put("load: busiest process %", "load: idlest process %", ofAll(), figures);
        return figures;
    }

    private long[] ofAll() {
        return cameTo.stream().flatMapToLong(LongStream::of).toArray();
    }

    private static void put(String most, String least, long[] counts, Map<String, Double> figures) {
        double sum = Arrays.stream(counts).sum();
        if (sum > 0) {
            figures.put(most, 100 * Arrays.stream(counts).max().orElse(0) / sum);
            figures.put(least, 100 * Arrays.stream(counts).min().orElse(0) / sum);
        }
    }
}
