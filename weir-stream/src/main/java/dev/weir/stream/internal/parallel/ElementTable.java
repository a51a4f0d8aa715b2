package dev.weir.stream.internal.parallel;

import dev.weir.stream.Ordering;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The elements inside a parallel stage, by state: waiting for an earlier element with the same key, ready, running, or
 * done. Guarded by the stage's lock. Allocates no memory after construction.
 *
 * <pre>
 *   add -> [behind its key] -> ready -> running -> done -> drained
 * </pre>
 *
 * <p>Keys are not stored. A key's hash selects one of many buckets. The elements in a bucket form a chain, and only the
 * first element of a chain can be ready or running. If two keys share a bucket, their elements wait for each other,
 * which costs time but never breaks the order. A key without elements costs nothing.
 *
 * <p>Elements that wait for an earlier one with the same key have their own space, as large as the space for all other
 * elements. A fast key fills only this space, so other keys continue. Once it is full, the next element that has to
 * wait blocks the input.
 */
final class ElementTable<T> {

    private static final int NONE = -1;
    private static final int BUCKETS_PER_SLOT = 8;
    private static final Object EMPTY = new Object();

    private final int slots;
    private final int capacity;
    private final int waitingCapacity;
    private final boolean inputOrder;

    // Indexed by slot.
    private final Object[] values;
    private final AckTarget[] targets;
    private final long[] tokens;
    private final int[] buckets;
    private final int[] nextOfBucket;
    private final boolean[] done;
    private final boolean[] running;

    private final int[] lastOfBucket;
    private final IntRing free;
    private final IntRing ready;
    /**
     * Slots in the order of emission. With input order, all occupied slots in order of arrival; otherwise, the done
     * slots in order of completion.
     */
    private final IntRing outgoing;

    private int doneCount;
    private int waitingCount;

    /**
     * Creates an empty table.
     *
     * @param capacity maximum number of elements that do not wait for an element with the same key; a power of two
     * @param inputOrder whether elements leave in order of arrival
     * @param keyed whether elements may have keys; if not, no space is reserved for chains
     */
    ElementTable(int capacity, boolean inputOrder, boolean keyed) {
        this.capacity = capacity;
        this.waitingCapacity = keyed ? capacity : 0;
        this.slots = capacity + waitingCapacity;
        this.inputOrder = inputOrder;
        values = new Object[slots];
        targets = new AckTarget[slots];
        Arrays.fill(targets, AckTarget.NONE);
        tokens = new long[slots];
        buckets = new int[slots];
        nextOfBucket = new int[slots];
        done = new boolean[slots];
        running = new boolean[slots];
        lastOfBucket = new int[keyed ? capacity * BUCKETS_PER_SLOT : 0];
        Arrays.fill(lastOfBucket, NONE);
        free = new IntRing(slots);
        ready = new IntRing(slots);
        outgoing = new IntRing(slots);
        for (int slot = 0; slot < slots; slot++) {
            free.add(slot);
        }
    }

    /** Maximum number of elements, including elements that wait for an earlier one with the same key. */
    int slots() {
        return slots;
    }

    /** Returns whether the table is full for elements that need not wait for an element with the same key. */
    boolean isFull() {
        return size() - waitingCount >= capacity;
    }

    boolean isEmpty() {
        return free.size() == slots;
    }

    /** Returns whether all chains are empty. Used by tests. */
    boolean knowsNoKey() {
        return Arrays.stream(lastOfBucket).allMatch(last -> last == NONE);
    }

    int size() {
        return slots - free.size();
    }

    /** Number of elements that wait for an earlier element with the same key. */
    int waitingCount() {
        return waitingCount;
    }

    /** Largest number of elements that wait for the same running or ready element. */
    int longestChain() {
        int longest = 0;
        for (int slot = 0; waitingCount > longest && slot < slots; slot++) {
            longest = running[slot] ? Math.max(longest, chainBehind(slot)) : longest;
        }
        for (int place = 0; waitingCount > longest && place < ready.size(); place++) {
            longest = Math.max(longest, chainBehind(ready.get(place)));
        }
        return longest;
    }

    private int chainBehind(int slot) {
        int length = 0;
        for (int next = nextOfBucket[slot]; next != NONE; next = nextOfBucket[next]) {
            length++;
        }
        return length;
    }

    int runningCount() {
        return size() - doneCount - ready.size() - waitingCount;
    }

    int readyCount() {
        return ready.size();
    }

    boolean hasManyDone() {
        return doneCount >= capacity >> 3;
    }

    int doneCount() {
        return doneCount;
    }

    boolean hasRoomFor(long key) {
        return hasRoomIn(key == Ordering.NO_KEY ? NONE : bucketOf(key));
    }

    /**
     * Returns whether there is enough room for this key to justify waking the feeder. If no element is ready or can
     * leave, any room is enough, because a running element may be waiting for a later one.
     */
    boolean hasAmpleRoomFor(long key) {
        int bucket = key == Ordering.NO_KEY ? NONE : bucketOf(key);
        return hasRoomIn(bucket)
                && (mustWait(bucket)
                        || capacity - size() + waitingCount >= capacity >> 3
                        || (ready.isEmpty() && !hasOutgoing()));
    }

    private boolean hasRoomIn(int bucket) {
        // Check for a free slot too: waiting elements that become ready keep their slots.
        return mustWait(bucket) ? waitingCount < waitingCapacity && !free.isEmpty() : !isFull();
    }

    private boolean mustWait(int bucket) {
        return bucket != NONE && lastOfBucket[bucket] != NONE;
    }

    /** Adds an element. Returns false if there is no room for its key. */
    boolean offer(Object value, AckTarget target, long token, long key) {
        int bucket = key == Ordering.NO_KEY ? NONE : bucketOf(key);
        if (!hasRoomIn(bucket)) {
            return false;
        }
        int slot = free.poll();
        values[slot] = value;
        targets[slot] = target;
        tokens[slot] = token;
        done[slot] = false;
        buckets[slot] = bucket;
        nextOfBucket[slot] = NONE;
        if (inputOrder) {
            outgoing.add(slot);
        }
        int before = bucket == NONE ? NONE : lastOfBucket[bucket];
        if (bucket != NONE) {
            lastOfBucket[bucket] = slot;
        }
        if (before == NONE) {
            ready.add(slot);
        } else {
            nextOfBucket[before] = slot;
            waitingCount++;
        }
        return true;
    }

    private int bucketOf(long key) {
        // Fibonacci hashing spreads similar hashes over distant buckets.
        long mixed = (key ^ (key >>> 32)) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> (64 - Integer.numberOfTrailingZeros(lastOfBucket.length)));
    }

    /** Takes a ready element, marks it as running, and returns its slot, or -1 if no element is ready. */
    int takeReady() {
        if (ready.isEmpty()) {
            return NONE;
        }
        int slot = ready.poll();
        running[slot] = true;
        return slot;
    }

    /**
     * Puts a taken element back among the ready elements before its processing has started. Several elements must be
     * given back in reverse order.
     */
    void giveBack(int slot) {
        running[slot] = false;
        ready.addFirst(slot);
    }

    /**
     * Takes all revoked elements that are ready or waiting, and marks them as running. The remaining elements keep
     * their order.
     */
    int[] takeRevoked() {
        int[] revoked = new int[ready.size() + waitingCount];
        int count = 0;
        for (int slot = 0; waitingCount > 0 && slot < slots; slot++) {
            if (running[slot]) {
                count = unlinkRevoked(slot, revoked, count);
            }
        }
        for (int n = ready.size(); n > 0; n--) {
            int slot = ready.poll();
            count = unlinkRevoked(slot, revoked, count);
            if (isRevoked(slot)) {
                running[slot] = true;
                revoked[count++] = slot;
            } else {
                ready.add(slot);
            }
        }
        return Arrays.copyOf(revoked, count);
    }

    /**
     * Takes the revoked elements of a chain, except its first element. Returns the total number of elements taken so
     * far.
     */
    private int unlinkRevoked(int first, int[] revoked, int taken) {
        int count = taken;
        int bucket = buckets[first];
        int before = first;
        for (int slot = nextOfBucket[first]; bucket != NONE && slot != NONE; slot = nextOfBucket[before]) {
            if (!isRevoked(slot)) {
                before = slot;
                continue;
            }
            nextOfBucket[before] = nextOfBucket[slot];
            if (lastOfBucket[bucket] == slot) {
                lastOfBucket[bucket] = before;
            }
            // The element has left its chain, so its completion must not make another element ready.
            buckets[slot] = NONE;
            nextOfBucket[slot] = NONE;
            waitingCount--;
            running[slot] = true;
            revoked[count++] = slot;
        }
        return count;
    }

    /**
     * Returns whether the source no longer owns the element in a slot. The slot must not be done. May be called without
     * the lock if the slot is running.
     */
    boolean isRevoked(int slot) {
        return targets[slot].isRevoked(tokens[slot]);
    }

    /**
     * If the element in a running slot was revoked, ends its acknowledgement and returns true. May be called without
     * the lock.
     */
    boolean dropIfRevoked(int slot) {
        return targets[slot].dropIfRevoked(tokens[slot]);
    }

    /** Abandons the acknowledgement of a running slot. May be called without the lock. */
    void abandon(int slot) {
        targets[slot].abandon(tokens[slot]);
    }

    @SuppressWarnings("unchecked") // until it is done, a slot holds the value passed to offer
    T value(int slot) {
        return (T) values[slot];
    }

    AckTarget target(int slot) {
        return targets[slot];
    }

    long token(int slot) {
        return tokens[slot];
    }

    /** Finds an element in any slot by its acknowledgement target and token, or returns null. */
    @Nullable
    Kept find(AckTarget of, long ofToken) {
        for (int slot = 0; slot < slots; slot++) {
            if (targets[slot].standsFor(tokens[slot], of, ofToken)) {
                return new Kept(values[slot], running[slot]);
            }
        }
        return null;
    }

    /**
     * Marks a running slot as done and makes the next element with the same key ready.
     *
     * @param result a {@link FailureVerdict} if the element was dropped
     */
    void complete(int slot, Object result) {
        values[slot] = result;
        running[slot] = false;
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
                waitingCount--;
            }
        }
    }

    /**
     * Removes and returns all elements that are not running, for the caller to abandon. The table must not be used
     * afterwards.
     */
    Batch<?> removePending() {
        Batch<?> pending = new Batch<>(size());
        for (int slot = 0; slot < slots; slot++) {
            // A dropped element has already been settled.
            if (!running[slot] && targets[slot] != AckTarget.NONE && !(values[slot] instanceof FailureVerdict)) {
                pending.add(values[slot], targets[slot], tokens[slot]);
                targets[slot] = AckTarget.NONE;
            }
        }
        return pending;
    }

    /** Returns whether {@link #drain} would emit an element. */
    boolean hasOutgoing() {
        return !outgoing.isEmpty() && done[outgoing.peek()];
    }

    /** Appends finished elements to {@code out} in the stage's order, without dropped elements. */
    void drain(Batch<?> out, int max) {
        for (int n = 0; n < max && hasOutgoing(); n++) {
            int slot = outgoing.poll();
            if (!(values[slot] instanceof FailureVerdict)) {
                out.add(values[slot], targets[slot], tokens[slot]);
            }
            values[slot] = EMPTY;
            targets[slot] = AckTarget.NONE;
            doneCount--;
            free.add(slot);
        }
    }
}
