package dev.weir.kafka.internal.in.owner;

import java.util.ArrayList;
import java.util.List;

/**
 * Records which leader wrote which record of a log, and where elections have cut it. Confined to the world's thread.
 */
final class SimulatedElections {

    /** No epoch is known. */
    static final int UNKNOWN = -1;

    private record Cut(int epoch, int offset) {}

    private final List<Integer> epochs = new ArrayList<>();
    private final List<Cut> cuts = new ArrayList<>();

    private int epoch;

    /** Counts the topics that had this name: the topic id. */
    private int incarnation;

    void grew(int records) {
        for (int i = 0; i < records; i++) {
            epochs.add(epoch);
        }
    }

    /** The records from {@code offset} on are gone, and the next ones have a higher epoch. */
    void cut(int offset) {
        epoch++;
        cuts.add(new Cut(epoch, offset));
        epochs.subList(offset, epochs.size()).clear();
    }

    /** A topic of the same name, with epochs of its own. */
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

    /** The epoch in which the record at the offset was written. */
    int epochAt(long offset) {
        return offset < 0 || offset >= epochs.size() ? UNKNOWN : epochs.get((int) offset);
    }

    /**
     * Returns the offset from which a log that ended in {@code of} differs from this one: the end of that epoch, as
     * brokers report it.
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
