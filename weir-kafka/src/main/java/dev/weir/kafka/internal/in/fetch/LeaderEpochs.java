package dev.weir.kafka.internal.in.fetch;

import java.util.Arrays;
import java.util.List;

/**
 * The leader epochs of the records read from a partition. An offset is committed with the epoch of the record before
 * it. Within a log, epochs rarely change and never decrease. Confined to the owner thread.
 */
public final class LeaderEpochs {

    /** Maximum number of stored epoch changes. Offsets before the oldest change are committed without epochs. */
    private static final int MAX_STEPS = 64;

    /** Returned by {@link #note} if it added all records. */
    public static final int NONE = -1;

    // The first offset of each epoch, directly after the last record of the previous epoch. Offsets between the records
    // of two epochs may be markers of either epoch.
    private long[] starts = new long[4];
    private int[] epochs = new int[4];
    private int steps;

    private long begin = -1;

    private long end = -1;

    /** Discards all epochs and starts again at {@code place}. */
    public void beginAt(LogPosition place) {
        steps = 0;
        begin = place.offset();
        end = begin;
        if (place.leaderEpoch() >= 0) {
            add(0, place.leaderEpoch());
        }
    }

    /**
     * Adds the epochs of the next records. Stops at a record with a lower epoch than an earlier record, because such a
     * record belongs to another log.
     *
     * @return the index of that record; {@link #NONE} if all records were added
     */
    public int note(List<? extends Fetched> records) {
        Fetched last = records.get(records.size() - 1);
        if (steps > 0 && records.get(0).leaderEpoch() == last() && last.leaderEpoch() == last()) {
            end = last.nextOffset();
            return NONE;
        }
        for (int i = 0; i < records.size(); i++) {
            Fetched record = records.get(i);
            if (!passed(record.nextOffset(), record.leaderEpoch())) {
                return i;
            }
        }
        return NONE;
    }

    /**
     * Reports that all offsets before {@code offset} were read or skipped.
     *
     * @param epoch the leader epoch of the offset before {@code offset}
     * @return false if the epoch is lower than an earlier one
     */
    public boolean passed(long offset, int epoch) {
        if (epoch >= 0 && steps > 0 && epoch < last()) {
            return false;
        }
        if (offset <= end) {
            return true;
        }
        if (epoch >= 0 ? steps == 0 || epoch > last() : steps > 0 && last() >= 0) {
            add(Math.max(0, end), epoch);
        }
        end = offset;
        return true;
    }

    /** Returns the offset of the last {@link #beginAt}; -1 before the first call. */
    public long begin() {
        return begin;
    }

    /** Returns the offset after the last offset read or skipped; -1 before reading starts. */
    public long end() {
        return end;
    }

    /**
     * Returns the leader epoch of the record before {@code offset}, or {@link LogPosition#NO_EPOCH} if unknown. The
     * offset can be committed with this epoch.
     */
    public int before(long offset) {
        if (offset > end) {
            return LogPosition.NO_EPOCH;
        }
        for (int step = steps - 1; step >= 0; step--) {
            if (starts[step] < offset) {
                return epochs[step];
            }
        }
        return LogPosition.NO_EPOCH;
    }

    private int last() {
        return epochs[steps - 1];
    }

    private void add(long start, int epoch) {
        if (steps == MAX_STEPS) {
            System.arraycopy(starts, 1, starts, 0, MAX_STEPS - 1);
            System.arraycopy(epochs, 1, epochs, 0, MAX_STEPS - 1);
            steps--;
        } else if (steps == starts.length) {
            starts = Arrays.copyOf(starts, 2 * steps);
            epochs = Arrays.copyOf(epochs, 2 * steps);
        }
        starts[steps] = start;
        epochs[steps] = epoch;
        steps++;
    }
}
