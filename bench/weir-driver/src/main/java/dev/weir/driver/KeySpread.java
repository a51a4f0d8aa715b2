package dev.weir.driver;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Draws the keys of a topic's records, reproducibly. Confined to one thread. */
public final class KeySpread {
    private final int perPartition;
    private final double[] shares; // the end of each key's range in [0, 1)
    private final SplittableRandom random = new SplittableRandom(1);

    /**
     * Creates a key generator. Each key belongs to one partition.
     *
     * @param perPartition keys per partition; 0 for records without keys
     * @param skew Zipf's exponent
     */
    public KeySpread(int perPartition, double skew) {
        this.perPartition = perPartition;
        this.shares = new double[perPartition];
        double sum = 0;
        for (int i = 0; i < perPartition; i++) {
            sum += Math.pow(i + 1, -skew);
            shares[i] = sum;
        }
        for (int i = 0; i < perPartition; i++) {
            shares[i] /= sum;
        }
    }

    /** Returns the key of the partition's next record; null for records without keys. */
    public byte @Nullable [] next(int partition) {
        if (perPartition == 0) {
            return null;
        }
        int found = Arrays.binarySearch(shares, random.nextDouble());
        int drawn = Math.min(found < 0 ? -found - 1 : found + 1, perPartition - 1);
        return ByteBuffer.allocate(Integer.BYTES)
                .putInt(partition * perPartition + drawn)
                .array();
    }
}
