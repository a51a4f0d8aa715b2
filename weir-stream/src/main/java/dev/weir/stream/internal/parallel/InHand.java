package dev.weir.stream.internal.parallel;

import dev.weir.stream.spi.Batch;
import java.util.BitSet;

/**
 * The elements of the feeder's batch that are not in the table yet. Guarded by the stage's lock, so that other threads
 * can drop revoked elements while the feeder waits.
 */
final class InHand<T> {

    private Batch<T> batch = new Batch<>(0);
    private int next;
    private final BitSet dropped = new BitSet();

    void begin(Batch<T> newBatch) {
        batch = newBatch;
        next = 0;
        dropped.clear();
    }

    /** Ends the batch and returns the elements that were not added, with their pending acknowledgements. */
    Batch<?> end() {
        Batch<?> left = new Batch<>(0);
        for (; hasNext(); taken()) {
            left.add(batch.get(next), batch.target(next), batch.token(next));
        }
        batch = new Batch<>(0);
        return left;
    }

    boolean hasNext() {
        next = dropped.nextClearBit(next);
        return next < batch.size();
    }

    /** Returns the index of the next element. Called only if {@link #hasNext} returns true. */
    int next() {
        return next;
    }

    /** Advances past the next element, which was added to the table or removed. */
    void taken() {
        next++;
    }

    /** Number of elements that have not been added, including dropped elements. */
    int size() {
        return batch.size() - Math.min(next, batch.size());
    }

    boolean hasRevokedNext() {
        return hasNext() && batch.isRevoked(next);
    }

    /** Removes the revoked elements and returns them with their pending acknowledgements. */
    Batch<?> takeRevoked() {
        Batch<?> revoked = new Batch<>(0);
        for (int i = dropped.nextClearBit(next); i < batch.size(); i = dropped.nextClearBit(i + 1)) {
            if (batch.isRevoked(i)) {
                revoked.add(batch.get(i), batch.target(i), batch.token(i));
                dropped.set(i);
            }
        }
        return revoked;
    }
}
