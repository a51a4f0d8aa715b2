package dev.weir.kafka.internal.transaction;

import dev.weir.kafka.internal.meters.LatencyCounts;
import java.util.Arrays;

/**
 * The timestamps of a transaction's records. Records of one millisecond come in runs, so that a run takes one slot.
 * Confined to whoever has the transaction.
 */
final class RecordTimes {

    private long[] millis = new long[64];
    private int[] counts = new int[64];
    private int size;

    void add(long timestampMillis) {
        if (size > 0 && millis[size - 1] == timestampMillis) {
            counts[size - 1]++;
            return;
        }
        if (size == millis.length) {
            millis = Arrays.copyOf(millis, size * 2);
            counts = Arrays.copyOf(counts, size * 2);
        }
        millis[size] = timestampMillis;
        counts[size++] = 1;
    }

    /** Counts the time from each timestamp to {@code nowMillis}. */
    void countUntil(long nowMillis, LatencyCounts latency) {
        for (int i = 0; i < size; i++) {
            latency.add(nowMillis - millis[i], counts[i]);
        }
    }
}
