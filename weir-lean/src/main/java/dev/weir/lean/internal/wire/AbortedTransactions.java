package dev.weir.lean.internal.wire;

import java.util.Arrays;
import org.agrona.collections.LongHashSet;

/**
 * The aborted transactions in a fetch response, whose batches a consumer of committed records skips. Confined to one
 * thread; reused for the next response.
 *
 * <p>The broker lists each transaction as a producer id and a first offset. The producer's batches are aborted from
 * this offset up to the producer's next abort marker.
 */
public final class AbortedTransactions {

    private final LongHashSet active = new LongHashSet();

    // Parallel arrays, sorted by offset before the first query
    private long[] producers = {};
    private long[] firstOffsets = {};
    private int count;
    private int seen;
    private boolean sorted = true;

    public void clear() {
        count = 0;
        seen = 0;
        sorted = true;
        active.clear();
    }

    /** Adds a transaction. Transactions may be added in any order, but only before the first query. */
    public void add(long producerId, long firstOffset) {
        if (count == producers.length) {
            int capacity = Math.max(16, 2 * count);
            producers = Arrays.copyOf(producers, capacity);
            firstOffsets = Arrays.copyOf(firstOffsets, capacity);
        }
        sorted &= count == 0 || firstOffsets[count - 1] <= firstOffset;
        producers[count] = producerId;
        firstOffsets[count++] = firstOffset;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Advances to {@code nextOffset}. Aborted transactions that begin before it become active. */
    public void reached(long nextOffset) {
        if (!sorted) {
            sort();
        }
        while (seen < count && firstOffsets[seen] < nextOffset) {
            active.add(producers[seen++]);
        }
    }

    public boolean isAborted(long producerId) {
        return !active.isEmpty() && active.contains(producerId);
    }

    /** Ends the producer's aborted transaction at its abort marker. The producer's later batches are not skipped. */
    public void endOf(long producerId) {
        active.remove(producerId);
    }

    /** Replaces the contents with a copy of the other object's transactions. */
    public void copyFrom(AbortedTransactions other) {
        clear();
        for (int i = 0; i < other.count; i++) {
            add(other.producers[i], other.firstOffsets[i]);
        }
        seen = other.seen;
        sorted = other.sorted;
        active.addAll(other.active);
    }

    /** Sorts the arrays with heapsort, which is fast enough even for millions of entries in the worst order. */
    private void sort() {
        for (int root = count / 2 - 1; root >= 0; root--) {
            sift(root, count);
        }
        for (int end = count - 1; end > 0; end--) {
            swap(0, end);
            sift(0, end);
        }
        sorted = true;
    }

    private void sift(int from, int end) {
        int root = from;
        int child;
        while ((child = 2 * root + 1) < end) {
            if (child + 1 < end && firstOffsets[child + 1] > firstOffsets[child]) {
                child++;
            }
            if (firstOffsets[root] >= firstOffsets[child]) {
                return;
            }
            swap(root, child);
            root = child;
        }
    }

    private void swap(int one, int other) {
        long producer = producers[one];
        long offset = firstOffsets[one];
        producers[one] = producers[other];
        firstOffsets[one] = firstOffsets[other];
        producers[other] = producer;
        firstOffsets[other] = offset;
    }
}
