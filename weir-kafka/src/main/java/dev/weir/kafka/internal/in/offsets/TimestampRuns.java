package dev.weir.kafka.internal.in.offsets;

import java.util.Arrays;

/**
 * The timestamps of consecutive records, stored only where they change: records of a busy partition share theirs, and
 * writing memory for each record costs more than the comparison. Confined to the owner thread.
 */
final class TimestampRuns {

    /** The slots at which each timestamp starts to apply, ascending. */
    private short[] slots = new short[4];

    private long[] values = new long[4];
    private int runs;

    /** Adds a record's timestamp; slots must ascend. */
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

    /** Adds the timestamps of consecutive records; a shared one is written once. */
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

    /** The timestamp of an added slot. */
    long of(int slot) {
        int at = Arrays.binarySearch(slots, 0, runs, (short) slot);
        return values[at >= 0 ? at : -at - 2];
    }

    void clear() {
        runs = 0;
    }
}
