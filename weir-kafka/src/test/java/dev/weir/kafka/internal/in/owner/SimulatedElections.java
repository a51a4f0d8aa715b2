package dev.weir.kafka.internal.in.owner;

import java.util.ArrayList;
import java.util.List;

/**
 * Records the leader epochs of a log's records, and where elections have truncated the log. Confined to the
 * simulation's thread.
 */
final class SimulatedElections {

    /** Value for an unknown epoch. */
    static final int UNKNOWN = -1;

    private record Cut(int epoch, int offset) {}

    private final List<Integer> epochs = new ArrayList<>();
    private final List<Cut> cuts = new ArrayList<>();

    private int epoch;

    /** Number of earlier topics with this name. Serves as the topic id. */
    private int incarnation;

    void grew(int records) {
        for (int i = 0; i < records; i++) {
            epochs.add(epoch);
        }
    }

    /** Removes the records from {@code offset} on. Later records have a higher epoch. */
    void cut(int offset) {
        epoch++;
        cuts.add(new Cut(epoch, offset));
        epochs.subList(offset, epochs.size()).clear();
    }

    /** Replaces the topic with a new one of the same name, with new epochs. */
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

    int epochAt(long offset) {
        return offset < 0 || offset >= epochs.size() ? UNKNOWN : epochs.get((int) offset);
    }

    /** Returns the end offset of an epoch, as brokers report it. */
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
