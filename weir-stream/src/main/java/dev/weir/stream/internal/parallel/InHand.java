package dev.weir.stream.internal.parallel;

import dev.weir.stream.spi.Batch;
import java.util.BitSet;

/**
 * The batch that a feeder has in hand, and which of it is still to be added. Under the lock of its stage, so that
 * others can drop what was lost of it while the feeder waits somewhere.
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

    /** Ends it and returns the claims of what was not added. */
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

    /** The index of the next one; there is one. */
    int next() {
        return next;
    }

    /** The next one was added. */
    void taken() {
        next++;
    }

    /** The number of elements there are from the next one on, those included that were dropped. */
    int size() {
        return batch.size() - Math.min(next, batch.size());
    }

    boolean hasRevokedNext() {
        return hasNext() && batch.isRevoked(next);
    }

    /** Takes out what was lost by its source. */
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
