package dev.weir.stream.internal.boundary;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the pending acknowledgements of one element. Thread-safe. */
public final class PendingCount implements AckTarget {

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger acks = new AtomicInteger();

    /** Returns a batch of one element, whose acknowledgements are counted here. */
    public Batch<Integer> batch(int value) {
        open.incrementAndGet();
        return Batch.of(new Object[] {value}, 1, this, new long[1]);
    }

    @Override
    public void ack(long token) {
        open.decrementAndGet();
        acks.incrementAndGet();
    }

    @Override
    public void retain(long token, int claims) {
        open.addAndGet(claims);
    }

    public int open() {
        return open.get();
    }

    public int acks() {
        return acks.get();
    }
}
