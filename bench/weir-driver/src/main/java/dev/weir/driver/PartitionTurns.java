package dev.weir.driver;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Chooses the partition to read next in {@link Scenario#FLOW_CONTROL}, where all other partitions are paused. A
 * partition is drawn at random for each record, from the partitions that have records left. Confined to one thread at a
 * time.
 */
public final class PartitionTurns {
    /** Figure of a pass: the number of records delivered from a paused partition. */
    public static final String STRAYS = "flow control: records of paused partitions";

    private final Pass pass;
    private final SplittableRandom random = new SplittableRandom(1);
    private final long[] left;
    private final int[] open; // the first openCount entries are partitions with records left
    private int openCount;
    private int turn = -1; // the last result of next()
    private int only = -1; // the only partition not paused; -1 if unknown
    private long strays;

    public PartitionTurns(Pass pass) {
        this.pass = pass;
        pass.figure(STRAYS, 0);
        openCount = pass.configuration().partitions();
        left = new long[openCount];
        Arrays.fill(left, pass.configuration().recordsPerPartition());
        open = new int[openCount];
        Arrays.setAll(open, partition -> partition);
    }

    /** Adds a delivered record of that partition. */
    public void delivered(int partition) {
        if (only >= 0 && partition != only) {
            pass.figure(STRAYS, (double) ++strays);
        }
        if (--left[partition] == 0) {
            for (int i = 0; i < openCount; i++) {
                if (open[i] == partition) {
                    open[i] = open[--openCount];
                    return;
                }
            }
        }
    }

    /** Draws the partition to continue with; -1 if no partition has records left. */
    public int next() {
        turn = openCount == 0 ? -1 : open[random.nextInt(openCount)];
        only = -1;
        return turn;
    }

    /**
     * Reports that all partitions are paused except for the last result of {@link #next}. From now on, no record of a
     * paused partition may arrive.
     */
    public void othersArePaused() {
        only = turn;
    }
}
