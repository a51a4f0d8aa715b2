package dev.weir.stream.internal.grouping;

import dev.weir.stream.Attributes;
import dev.weir.stream.BufferFullException;
import dev.weir.stream.OverflowStrategy;
import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.boundary.BatchExchange;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A buffer that never makes the upstream thread wait: when full, it drops and acknowledges elements. Its methods are
 * called with the exchange's lock held.
 */
final class DroppingBuffer<T> extends BatchExchange<T, T> {

    private final int capacity;
    private final OverflowStrategy strategy;

    // Guarded by the exchange's lock. The elements in `handedOver` come before those in `waiting`.
    private @Nullable Batch<T> handedOver;
    private final ElementRing<T> waiting = new ElementRing<>();

    DroppingBuffer(int capacity, OverflowStrategy strategy, Clock clock) {
        super(clock);
        this.capacity = capacity;
        this.strategy = strategy;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, int capacity, OverflowStrategy strategy) {
        return AsyncBoundary.node(
                Attributes.named("buffer").withBuffer(capacity),
                above,
                (attributes, clock) -> new DroppingBuffer<>(attributes.bufferOr(capacity), strategy, clock));
    }

    @Override
    protected boolean hasRoom() {
        return true;
    }

    @Override
    protected void takeIn(Batch<T> batch) {
        if (isAwaited() && !hasOutput()) {
            // The downstream stage is waiting, so it gets the complete batch, whatever the capacity.
            handedOver = batch;
            return;
        }
        int next = 0;
        try {
            for (; next < batch.size(); next++) {
                if (waiting.size() < capacity || makeRoom()) {
                    waiting.add(batch, next, 0);
                } else {
                    batch.ack(next);
                }
            }
        } catch (BufferFullException full) {
            batch.removeFirst(next);
            throw full;
        }
    }

    /** Makes room for one element. Returns false if the new element must be dropped. */
    private boolean makeRoom() {
        switch (strategy) {
            case DROP_HEAD -> waiting.ackFirst();
            case DROP_TAIL -> waiting.ackLast();
            case DROP_BUFFER -> waiting.ackAll();
            case DROP_NEW -> {
                return false;
            }
            case FAIL, BACKPRESSURE -> throw new BufferFullException(capacity);
        }
        return true;
    }

    @Override
    protected boolean hasOutput() {
        return handedOver != null || !waiting.isEmpty();
    }

    @Override
    protected Batch<T> handOut() {
        Batch<T> out = handedOver;
        if (out != null) {
            handedOver = null;
            return out;
        }
        out = new Batch<>(Math.min(waiting.size(), Batch.DEFAULT_CAPACITY));
        while (!waiting.isEmpty() && out.size() < Batch.DEFAULT_CAPACITY) {
            waiting.moveFirst(out);
        }
        return out;
    }

    @Override
    protected List<Batch<?>> removeAll() {
        List<Batch<?>> left = new ArrayList<>();
        while (hasOutput()) {
            left.add(handOut());
        }
        return left;
    }

    @Override
    protected int size() {
        return waiting.size() + (handedOver == null ? 0 : handedOver.size());
    }
}
