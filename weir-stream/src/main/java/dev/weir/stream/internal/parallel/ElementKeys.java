package dev.weir.stream.internal.parallel;

import dev.weir.stream.Ordering;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Batch;
import org.jspecify.annotations.Nullable;

/** Computes the keys of a batch's elements before any lock is taken. Confined to the thread that feeds the stage. */
final class ElementKeys<T> {

    private static final long[] NONE = {};

    private final Ordering<? super T> ordering;
    private final SupervisedCall supervised;
    private @Nullable Throwable failure;

    ElementKeys(Ordering<? super T> ordering, SupervisedCall supervised) {
        this.ordering = ordering;
        this.supervised = supervised;
    }

    /**
     * Computes the keys of a batch. If the key function fails, the supervision decides: the element is dropped, or the
     * batch is truncated before it and {@link #failure} is set.
     */
    long[] of(Batch<T> batch) throws InterruptedException {
        if (!ordering.isKeyed()) {
            return NONE;
        }
        int size = batch.size();
        long[] keys = new long[size];
        int kept = 0;
        for (int i = 0; i < size; i++) {
            T element = batch.get(i);
            long key;
            try {
                key = ordering.keyOf(element);
            } catch (Throwable thrown) {
                Object outcome = supervised.after(thrown, ordering::keyOf, batch, kept, i);
                if (outcome instanceof FailureVerdict verdict) {
                    if (verdict.fails()) {
                        failure = verdict.failure();
                        break;
                    }
                    verdict.settle(batch.target(i), batch.token(i));
                    continue;
                }
                key = (long) outcome;
            }
            if (kept < i) {
                batch.move(i, kept);
            }
            keys[kept++] = key;
        }
        if (kept < size) {
            batch.truncate(kept);
        }
        return keys;
    }

    static long at(long[] keys, int index) {
        return keys.length == 0 ? Ordering.NO_KEY : keys[index];
    }

    /** Returns the key function's failure that truncated the last batch, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
