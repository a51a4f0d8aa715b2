package dev.weir.stream.internal.parallel;

import dev.weir.stream.Ordering;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.Arrays;

/**
 * Elements on their way through lanes: waiting behind another of their key, ready, running, done. Guarded by the lock of
 * its owner; allocates nothing after construction.
 *
 * <pre>
 *   add -> [behind its key] -> ready -> running -> done -> drained
 * </pre>
 *
 * <p>Keys are not stored. A key's hash picks one of many buckets, and a bucket's elements form a chain of which only the
 * first is ready or running: two keys that share a bucket wait for each other, which costs time but never order, and an
 * idle key costs nothing.
 */
final class LaneTable<T> {

    private static final int NONE = -1;
    private static final int BUCKETS_PER_SLOT = 8;
    private static final Object EMPTY = new Object();

    private final int capacity;
    private final boolean inputOrder;

    // By slot.
    private final Object[] values;
    private final AckTarget[] targets;
    private final long[] tokens;
    private final int[] buckets;
    private final int[] nextOfBucket;
    private final boolean[] done;

    private final int[] lastOfBucket;
    private final IntRing free;
    private final IntRing ready;
    /** With input order all slots in that order, else the done ones in the order in which they became so. */
    private final IntRing outgoing;

    private int doneCount;

    /**
     * @param capacity elements that may be inside, a power of two
     * @param inputOrder whether elements leave in the order in which they came
     * @param keyed whether elements may have keys; otherwise no room is made for chains
     */
    LaneTable(int capacity, boolean inputOrder, boolean keyed) {
        this.capacity = capacity;
        this.inputOrder = inputOrder;
        values = new Object[capacity];
        targets = new AckTarget[capacity];
        Arrays.fill(targets, AckTarget.NONE);
        tokens = new long[capacity];
        buckets = new int[capacity];
        nextOfBucket = new int[capacity];
        done = new boolean[capacity];
        lastOfBucket = new int[keyed ? capacity * BUCKETS_PER_SLOT : 0];
        Arrays.fill(lastOfBucket, NONE);
        free = new IntRing(capacity);
        ready = new IntRing(capacity);
        outgoing = new IntRing(capacity);
        for (int slot = 0; slot < capacity; slot++) {
            free.add(slot);
        }
    }

    boolean isFull() {
        return free.isEmpty();
    }

    boolean isEmpty() {
        return free.size() == capacity;
    }

    int size() {
        return capacity - free.size();
    }

    int readyCount() {
        return ready.size();
    }

    /** Elements that are done and wait to be drained. */
    int doneCount() {
        return doneCount;
    }

    /** Takes an element in; the table must not be full. */
    void add(Object value, AckTarget target, long token, long key) {
        int slot = free.poll();
        values[slot] = value;
        targets[slot] = target;
        tokens[slot] = token;
        done[slot] = false;
        nextOfBucket[slot] = NONE;
        if (inputOrder) {
            outgoing.add(slot);
        }
        if (key == Ordering.NO_KEY) {
            buckets[slot] = NONE;
            ready.add(slot);
            return;
        }
        int bucket = bucketOf(key);
        buckets[slot] = bucket;
        int before = lastOfBucket[bucket];
        lastOfBucket[bucket] = slot;
        if (before == NONE) {
            ready.add(slot);
        } else {
            nextOfBucket[before] = slot;
        }
    }

    private int bucketOf(long key) {
        // Fibonacci hashing: neighbouring hashes land in distant buckets.
        long mixed = (key ^ (key >>> 32)) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> (64 - Integer.numberOfTrailingZeros(lastOfBucket.length)));
    }

    /** The slot of an element to work on, which is then running, or -1 if none is ready. */
    int takeReady() {
        return ready.isEmpty() ? NONE : ready.poll();
    }

    @SuppressWarnings("unchecked") // a slot that is not done holds what add was given
    T value(int slot) {
        return (T) values[slot];
    }

    AckTarget target(int slot) {
        return targets[slot];
    }

    long token(int slot) {
        return tokens[slot];
    }

    /**
     * Ends the work on a running slot; the next of its key becomes ready.
     *
     * @param result a {@link Verdict} if the element was dropped
     */
    void complete(int slot, Object result) {
        values[slot] = result;
        done[slot] = true;
        doneCount++;
        if (!inputOrder) {
            outgoing.add(slot);
        }
        int bucket = buckets[slot];
        if (bucket != NONE) {
            int next = nextOfBucket[slot];
            if (next == NONE) {
                lastOfBucket[bucket] = NONE;
            } else {
                ready.add(next);
            }
        }
    }

    /** Whether {@link #drain} would find anything. */
    boolean hasOutgoing() {
        return !outgoing.isEmpty() && done[outgoing.peek()];
    }

    /** Moves done elements, in the order that is kept, to the end of {@code out}, without the dropped ones. */
    void drain(Batch<?> out, int max) {
        for (int n = 0; n < max && hasOutgoing(); n++) {
            int slot = outgoing.poll();
            if (!(values[slot] instanceof Verdict)) {
                out.add(values[slot], targets[slot], tokens[slot]);
            }
            values[slot] = EMPTY;
            targets[slot] = AckTarget.NONE;
            doneCount--;
            free.add(slot);
        }
    }
}
