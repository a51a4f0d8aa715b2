package dev.weir.kafka.internal.in.offsets;

import java.util.Arrays;

/**
 * The timestamps of consecutive records. Stores a timestamp only if it differs from the previous one. Confined to the
 * owner thread.
 */
final class TimestampRuns {

    /** The first slot of each run of equal timestamps. */
    private short[] slots = new short[4];

    private long[] values = new long[4];
    private int runs;

    /** Adds a record's timestamp. Slots must be added in ascending order. */
    void note(int slot, long timestamp) {
        if (runs > 0 && values[runs - 1] == timestamp) {
            return;
        }
        if (runs == slots.length) {
            slots = Arrays.copyOf(slots, 2 * runs);
            values = Arrays.copyOf(values, 2 * runs);
        }
        slots[runs] = (short) slot;
        values[runs++] = timestamp;
    }

    void noteAll(int slot, long[] timestamps, int from, int count) {
        long last = timestamps[from];
        note(slot, last);
        for (int i = 1; i < count; i++) {
            long timestamp = timestamps[from + i];
            if (timestamp != last) {
                note(slot + i, timestamp);
                last = timestamp;
            }
        }
    }

    long of(int slot) {
        int at = Arrays.binarySearch(slots, 0, runs, (short) slot);
        return values[at >= 0 ? at : -at - 2];
    }

    void clear() {
        runs = 0;
    }
}
