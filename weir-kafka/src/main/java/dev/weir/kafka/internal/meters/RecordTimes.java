package dev.weir.kafka.internal.meters;

import java.util.Arrays;

/**
 * The timestamps of a transaction's records. Consecutive records with the same timestamp share an array entry. Not
 * thread-safe.
 */
public final class RecordTimes {

    private long[] millis = new long[64];
    private int[] counts = new int[64];
    private int size;

    /** Adds the timestamp of a record, in milliseconds since the Unix epoch. */
    public void add(long timestampMillis) {
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

    /** Adds each record's age at {@code nowMillis} to {@code latency}. */
    public void countUntil(long nowMillis, LatencyCounts latency) {
        for (int i = 0; i < size; i++) {
            latency.add(nowMillis - millis[i], counts[i]);
        }
    }
}
