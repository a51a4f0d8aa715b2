package dev.weir.lean.internal.producer;

import java.util.concurrent.atomic.AtomicLongArray;

/** A producer's counters. Written by the producer's thread only; may be read by any thread. */
final class ProducerCounters {

    static final int ACKNOWLEDGED = 0;
    static final int FAILED = 1;
    static final int REQUESTS = 2;
    static final int RESENT = 3;
    static final int DIVIDED = 4;
    static final int EPOCHS = 5;
    static final int THROTTLED_MILLIS = 6;

    static final int BATCHES = 7;
    static final int QUEUED_NANOS = 8;
    static final int ANSWERS = 9;
    static final int ANSWER_NANOS = 10;

    private final AtomicLongArray counts = new AtomicLongArray(ANSWER_NANOS + 1);

    void add(int what, long count) {
        counts.lazySet(what, counts.getPlain(what) + count);
    }

    long get(int what) {
        return counts.get(what);
    }
}
