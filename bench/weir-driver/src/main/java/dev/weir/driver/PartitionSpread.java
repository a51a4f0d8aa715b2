package dev.weir.driver;

/**
 * Chooses a partition for each record: in turn, or with a Zipf distribution in which the first partition is the
 * hottest. The choice is not random: each partition's count stays within one or two records of its share. Confined to
 * one thread.
 */
public final class PartitionSpread {
    private final double[] shares;
    private final double[] owed; // records still owed to each partition
    private final boolean isEven;
    private int next;

    /**
     * Spreads records over {@code partitions}.
     *
     * @param skew Zipf's exponent; 0 for an even distribution
     */
    public PartitionSpread(int partitions, double skew) {
        shares = shares(partitions, skew);
        owed = new double[partitions];
        isEven = skew == 0;
    }

    /** Returns each partition's share of all records. */
    public static double[] shares(int partitions, double skew) {
        double[] shares = new double[partitions];
        double sum = 0;
        for (int partition = 0; partition < partitions; partition++) {
            shares[partition] = Math.pow(partition + 1, -skew);
            sum += shares[partition];
        }
        for (int partition = 0; partition < partitions; partition++) {
            shares[partition] /= sum;
        }
        return shares;
    }

    /** Chooses the partition of the next record. */
    public int next() {
        if (isEven) {
            int turn = next;
            next = turn + 1 == shares.length ? 0 : turn + 1;
            return turn;
        }
        int most = 0;
        for (int partition = 0; partition < shares.length; partition++) {
            owed[partition] += shares[partition];
            most = owed[partition] > owed[most] ? partition : most;
        }
        owed[most]--;
        return most;
    }
}
