package dev.weir.driver;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Which partition is the one that is not paused, in {@link Scenario#FLOW_CONTROL}: drawn anew for each record, among those
 * that have records left. Confined to one thread at a time.
 */
public final class PartitionTurns {
    private final SplittableRandom random = new SplittableRandom(1);
    private final long[] left;
    private final int[] open; // partitions with records left, the first openCount of it
    private int openCount;

    public PartitionTurns(Pass pass) {
        openCount = pass.configuration().partitions();
        left = new long[openCount];
        Arrays.fill(left, pass.configuration().recordsPerPartition());
        open = new int[openCount];
        Arrays.setAll(open, partition -> partition);
    }

    /** A record of that partition was delivered. */
    public void delivered(int partition) {
        if (--left[partition] == 0) {
            for (int i = 0; i < openCount; i++) {
                if (open[i] == partition) {
                    open[i] = open[--openCount];
                    return;
                }
            }
        }
    }

    /** The partition that may go on; -1 when none has records left. */
    public int next() {
        return openCount == 0 ? -1 : open[random.nextInt(openCount)];
    }
}
