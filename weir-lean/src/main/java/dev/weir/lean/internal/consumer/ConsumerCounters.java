package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanMetrics;
import dev.weir.lean.internal.cursor.PartitionCursor;
import java.util.concurrent.atomic.AtomicLongArray;

/** A consumer's counters. Written by the polling thread only; may be read by any thread. */
final class ConsumerCounters implements PartitionCursor.Tally {

    static final int RECORDS = 0;
    static final int BYTES = 1;
    static final int BATCHES = 2;
    static final int LEFT_OUT = 3;
    static final int CORRUPT = 4;
    static final int FETCHES = 5;
    static final int EMPTY_FETCHES = 6;
    static final int CONNECTS = 7;
    static final int DISCONNECTS = 8;
    static final int RELOCATIONS = 9;
    static final int RESETS = 10;
    static final int METADATA = 11;
    static final int THROTTLED = 12;
    static final int COPIED = 13;
    private static final int COUNT = 14;

    private final AtomicLongArray counts = new AtomicLongArray(COUNT);

    void add(int counter, long more) {
        counts.lazySet(counter, counts.getPlain(counter) + more);
    }

    @Override
    public void delivered(int records, int bytes) {
        add(RECORDS, records);
        if (bytes > 0) {
            add(BYTES, bytes);
            add(BATCHES, 1);
        }
    }

    @Override
    public void leftOut() {
        add(LEFT_OUT, 1);
    }

    /** May be called from any thread. */
    long throttledMillis() {
        return counts.get(THROTTLED);
    }

    /** Takes a snapshot, which is not atomic across counters. May be called from any thread. */
    LeanMetrics snapshot() {
        return LeanMetrics.builder()
                .records(counts.get(RECORDS))
                .bytes(counts.get(BYTES))
                .batches(counts.get(BATCHES))
                .leftOutBatches(counts.get(LEFT_OUT))
                .corruptBatches(counts.get(CORRUPT))
                .fetches(counts.get(FETCHES))
                .emptyFetches(counts.get(EMPTY_FETCHES))
                .connects(counts.get(CONNECTS))
                .disconnects(counts.get(DISCONNECTS))
                .relocations(counts.get(RELOCATIONS))
                .resets(counts.get(RESETS))
                .metadataRefreshes(counts.get(METADATA))
                .throttledMillis(throttledMillis())
                .copiedBytes(counts.get(COPIED))
                .build();
    }
}
