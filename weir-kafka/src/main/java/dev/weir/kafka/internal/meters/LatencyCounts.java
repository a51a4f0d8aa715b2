package dev.weir.kafka.internal.meters;

import dev.weir.kafka.ProducerHandle.Latency;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of durations in milliseconds, exact below 64 ms and with an error of at most 1/32 above. Thread-safe;
 * allocates nothing after construction.
 *
 * <pre>
 *   bucket   0..63   64..95   96..127   128..159 ...
 *   of ms    1 each  2 each   4 each    8 each
 * </pre>
 */
public final class LatencyCounts {

    /** Each value below this one has its own bucket. */
    private static final int EXACT = 64;

    private static final int BUCKETS_PER_DOUBLING = 32;
    private static final int EXACT_BITS = 6;
    private static final int BUCKETS = EXACT + (Long.SIZE - 1 - EXACT_BITS) * BUCKETS_PER_DOUBLING;

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
    private final AtomicLong max = new AtomicLong();

    /** Counts one duration. A negative duration, from clocks that differ, counts as 0. */
    public void add(long millis) {
        add(millis, 1);
    }

    /** Counts the same duration several times. */
    public void add(long millis, long times) {
        long counted = Math.max(0, millis);
        counts.addAndGet(bucketOf(counted), times);
        if (counted > max.get()) {
            max.accumulateAndGet(counted, Math::max);
        }
    }

    /** Returns a summary of the durations counted so far. */
    public Latency snapshot() {
        long total = 0;
        long[] now = new long[BUCKETS];
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            now[bucket] = counts.get(bucket);
            total += now[bucket];
        }
        long most = max.get();
        return Latency.of(
                total, Math.min(most, percentile(now, total, 50)), Math.min(most, percentile(now, total, 99)), most);
    }

    /**
     * Returns the number of durations at or below each bound. The bounds must be in ascending order. A duration counts
     * as the highest value of its bucket.
     */
    public long[] upTo(long... boundsMillis) {
        long[] upTo = new long[boundsMillis.length];
        long seen = 0;
        int bucket = 0;
        for (int i = 0; i < upTo.length; i++) {
            while (bucket < BUCKETS && highestOf(bucket) <= boundsMillis[i]) {
                seen += counts.get(bucket++);
            }
            upTo[i] = seen;
        }
        return upTo;
    }

    private static long percentile(long[] counts, long total, int percent) {
        long wanted = Math.max(1, (total * percent + 99) / 100);
        long seen = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            seen += counts[bucket];
            if (seen >= wanted) {
                return highestOf(bucket);
            }
        }
        return 0;
    }

    private static int bucketOf(long millis) {
        if (millis < EXACT) {
            return (int) millis;
        }
        int doubling = Long.SIZE - 1 - Long.numberOfLeadingZeros(millis) - EXACT_BITS;
        int within = (int) (millis >>> (doubling + 1)) - BUCKETS_PER_DOUBLING;
        return EXACT + doubling * BUCKETS_PER_DOUBLING + within;
    }

    private static long highestOf(int bucket) {
        if (bucket < EXACT) {
            return bucket;
        }
        int doubling = (bucket - EXACT) / BUCKETS_PER_DOUBLING;
        long within = (long) (bucket - EXACT) % BUCKETS_PER_DOUBLING + BUCKETS_PER_DOUBLING;
        return ((within + 1) << (doubling + 1)) - 1;
    }
}
