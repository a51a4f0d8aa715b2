package dev.weir.kafka.internal.in.owner;

import java.util.ArrayList;
import java.util.List;

/**
 * Records the leader epoch of each record in a log, and the offsets at which elections have truncated the log. Confined
 * to the simulation's thread.
 */
final class SimulatedElections {

    /** Value for an unknown epoch. */
    static final int UNKNOWN = -1;

    private record Cut(int epoch, int offset) {}

    private final List<Integer> epochs = new ArrayList<>();
    private final List<Cut> cuts = new ArrayList<>();

    private int epoch;

    /** The number of earlier topics with this name, which serves as the topic id. */
    private int incarnation;

    void grew(int records) {
        for (int i = 0; i < records; i++) {
            epochs.add(epoch);
        }
    }

    /** Removes the records from {@code offset} on. The next records have a higher epoch. */
    void cut(int offset) {
        epoch++;
        cuts.add(new Cut(epoch, offset));
        epochs.subList(offset, epochs.size()).clear();
    }

    /** Replaces the topic by a new one of the same name, whose epochs start again. */
    void begin(int newIncarnation) {
        incarnation = newIncarnation;
        epoch = 0;
        cuts.clear();
        epochs.clear();
    }

    int epoch() {
        return epoch;
    }

    int incarnation() {
        return incarnation;
    }

    /** Returns the epoch in which the record at the offset was written. */
    int epochAt(long offset) {
        return offset < 0 || offset >= epochs.size() ? UNKNOWN : epochs.get((int) offset);
    }

    /**
     * Returns the end offset of an epoch, as brokers report it. A copy of the log that ends in this epoch may differ
     * from this log from that offset on.
     */
    long endOf(int of) {
        long end = epochs.size();
        for (Cut cut : cuts) {
            if (cut.epoch > of) {
                end = Math.min(end, cut.offset);
            }
        }
        return end;
    }
}
