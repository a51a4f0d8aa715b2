package dev.weir.driver;

import java.util.Arrays;

/** Checks that the records of each key arrived in order. Keys are numbered from 0. Confined to one thread at a time. */
final class KeyLedger {
    private long[] next = new long[1024]; // the smallest number that may arrive next, indexed by key
    private boolean isUsed;
    private long reordered;

    void delivered(int key, long number) {
        isUsed = true;
        if (key >= next.length) {
            next = Arrays.copyOf(next, Math.max(key + 1, 2 * next.length));
        }
        if (number + 1 < next[key]) {
            reordered++; // a repetition of the key's last record is no fault
        } else {
            next[key] = number + 1;
        }
    }

    boolean isUsed() {
        return isUsed;
    }

    long reordered() {
        return reordered;
    }
}
