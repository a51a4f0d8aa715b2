package dev.weir.bench.measurement;

import dev.weir.driver.PartitionSpread;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a load was spread while it was measured, and whether as it was asked. Immutable; both arrays belong to it.
 */
final class LoadShares {
    /** A share may be off by so much of itself ... */
    private static final double TOLERATED = 0.02;

    /** ... and by so many records: a rate begins and ends amid a turn. */
    private static final double TOLERATED_RECORDS = 3;

    /** A process that was to get so many records, by the mean, does not get none by chance. */
    private static final double CERTAIN = 100;

    private final long[] sentTo;
    private final long[] cameTo;

    /**
     * Of what was counted.
     *
     * @param sentTo records by partition
     * @param cameTo records by process of the group
     */
    LoadShares(long[] sentTo, long[] cameTo) {
        this.sentTo = sentTo;
        this.cameTo = cameTo;
    }

    /**
     * Whether partitions got other shares than these, or a process nothing at all.
     *
     * @param skew {@link PartitionSpread}'s
     */
    boolean isOtherThan(double skew) {
        double[] asked = PartitionSpread.shares(sentTo.length, skew);
        double sent = Arrays.stream(sentTo).sum();
        for (int partition = 0; partition < sentTo.length; partition++) {
            double due = asked[partition] * sent;
            if (Math.abs(sentTo[partition] - due) > TOLERATED * due + TOLERATED_RECORDS) {
                return true;
            }
        }
        // More processes than partitions: some have none.
        return cameTo.length > 0
                && cameTo.length <= sentTo.length
                && sent / cameTo.length >= CERTAIN
                && Arrays.stream(cameTo).anyMatch(came -> came == 0);
    }

    /** For the results, by name. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        put("load: hottest partition %", "load: coldest partition %", sentTo, figures);
        put("load: busiest process %", "load: idlest process %", cameTo, figures);
        return figures;
    }

    private static void put(String most, String least, long[] counts, Map<String, Double> figures) {
        double sum = Arrays.stream(counts).sum();
        if (sum > 0) {
            figures.put(most, 100 * Arrays.stream(counts).max().orElse(0) / sum);
            figures.put(least, 100 * Arrays.stream(counts).min().orElse(0) / sum);
        }
    }
}
