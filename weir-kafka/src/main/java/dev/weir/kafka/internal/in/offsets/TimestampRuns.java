package dev.weir.kafka.internal.in.offsets;

import java.util.Arrays;

/**
 * The timestamps of a stretch of records: each is noted where it differs from the one before, because the records of a
 * busy partition share theirs, and memory that each record writes to costs more than the comparison. Confined to the
 * owner thread.
 */
final class TimestampRuns {

    /** The slots from which on a timestamp is valid, ascending. */
    private short[] slots = new short[4];

    private long[] values = new long[4];
    private int runs;

    /** Notes a record's timestamp; slots come in ascending order. */
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

    /** Notes the timestamps of records one after the other. One that they share is written once. */
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

    /** The timestamp of a slot that was noted. */
    long of(int slot) {
        int at = Arrays.binarySearch(slots, 0, runs, (short) slot);
        return values[at >= 0 ? at : -at - 2];
    }

    void clear() {
        runs = 0;
    }
}
