package dev.weir.stream.internal.boundary;

import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A first-in, first-out queue of batches with a limit on the number of elements. Thread-safe.
 *
 * <p>A batch is stored if there is room for at least one element, so the queue may exceed its capacity by one batch.
 */
public final class BoundaryQueue<T> extends BatchExchange<T, T> implements Keeper {

    private final int capacity;
    private final ArrayDeque<Batch<T>> batches = new ArrayDeque<>();
    private int elements;

    /**
     * Creates an open queue.
     *
     * @param capacity number of elements, at least 1
     */
    public BoundaryQueue(int capacity, Clock clock) {
        super(clock);
        if (capacity < 1) {
            throw new IllegalArgumentException("a boundary's buffer must hold at least 1 element: " + capacity);
        }
        this.capacity = capacity;
    }

    /** Finds a stored element by its acknowledgement target and token. May be called from any thread. */
    @Override
    public @Nullable Kept find(AckTarget of, long ofToken) {
        lock.lock();
        try {
            for (Batch<T> batch : batches) {
                int index = batch.find(of, ofToken);
                if (index >= 0) {
                    return new Kept(batch.get(index), false);
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    protected boolean hasRoom() {
        return elements < capacity;
    }

    @Override
    protected void takeIn(Batch<T> batch) {
        batches.add(batch);
        elements += batch.size();
    }

    @Override
    protected boolean hasOutput() {
        return !batches.isEmpty();
    }

    @Override
    protected Batch<T> handOut() {
        Batch<T> batch = batches.remove();
        elements -= batch.size();
        return batch;
    }

    @Override
    protected List<Batch<?>> removeAll() {
        List<Batch<?>> left = List.copyOf(batches);
        batches.clear();
        elements = 0;
        return left;
    }

    @Override
    protected Batch<?> removeRevoked() {
        Batch<?> all = new Batch<>(0);
        for (Batch<T> batch : batches) {
            Batch<?> revoked = batch.removeRevoked();
            for (int i = 0; i < revoked.size(); i++) {
                all.add(revoked.get(i), revoked.target(i), revoked.token(i));
            }
        }
        batches.removeIf(Batch::isEmpty);
        elements -= all.size();
        return all;
    }

    @Override
    protected int size() {
        return elements;
    }
}
