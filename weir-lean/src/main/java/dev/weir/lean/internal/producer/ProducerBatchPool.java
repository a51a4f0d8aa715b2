package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A pool of empty batches with a limited total size. At the limit, senders wait or get no batch. Thread-safe.
 *
 * <p>Batches of the usual size are direct memory and are reused. A batch for a larger record is on the heap, because
 * the garbage collector frees it earlier there.
 */
final class ProducerBatchPool {

    /** Waiting senders are woken when this many batches are free or, in a small pool, a quarter of the bytes. */
    private static final int WAKE_BATCHES = 8;

    /** Interval at which waiting senders check for free bytes themselves. */
    private static final long LOOK_NANOS = 5_000_000;

    private final int batchBytes;
    private final long bytes;
    private final long wakeBytes;
    private final Runnable whenPressed;
    private final long lookNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();
    private final ArrayDeque<ProducerBatch> kept = new ArrayDeque<>();
    private long freeBytes;
    private int largeWaiting;
    private boolean closed;
    private volatile boolean pressed;

    /**
     * @param whenPressed called when {@link #isPressed} becomes true, by the sender that got no batch and holds this
     * pool's lock; must not block
     */
    ProducerBatchPool(long bytes, int batchBytes, Runnable whenPressed) {
        this(bytes, batchBytes, whenPressed, LOOK_NANOS);
    }

    /** @param lookNanos the interval at which waiting senders check for free bytes */
    ProducerBatchPool(long bytes, int batchBytes, Runnable whenPressed, long lookNanos) {
        this.whenPressed = whenPressed;
        this.bytes = bytes;
        this.freeBytes = bytes;
        this.batchBytes = batchBytes;
        this.wakeBytes = Math.min((long) WAKE_BATCHES * batchBytes, bytes / 4);
        this.lookNanos = lookNanos;
    }

    /**
     * Takes a batch with enough space for a record.
     *
     * @param recordBytes upper bound of the record's size, without the batch's header
     * @param waitNanos the timeout; 0 to return immediately
     * @return null if the timeout has expired or the pool is closed
     */
    @Nullable
    ProducerBatch take(long recordBytes, long waitNanos) throws InterruptedException {
        int needed = (int) Math.max(batchBytes, recordBytes + BatchLayout.HEADER_BYTES);
        boolean large = needed > batchBytes;
        if (waitNanos > 0) {
            lock.lockInterruptibly();
        } else {
            lock.lock();
        }
        try {
            long left = waitNanos;
            largeWaiting += large ? 1 : 0;
            try {
                // While a sender waits for a large batch, other senders get no smaller batches, which would use up the
                // free bytes.
                while (!closed && (freeBytes < needed || (!large && largeWaiting > 0))) {
                    press();
                    if (left <= 0) {
                        return null;
                    }
                    long nanos = Math.min(left, lookNanos);
                    left -= nanos - returned.awaitNanos(nanos);
                }
            } finally {
                if (large) {
                    largeWaiting--;
                    returned.signalAll();
                }
            }
            if (closed) {
                return null;
            }
            ProducerBatch batch = large ? null : kept.poll();
            if (batch == null) {
                ByteBuffer memory = large ? ByteBuffer.allocate(needed) : ByteBuffer.allocateDirect(needed);
                batch = new ProducerBatch(memory, needed);
            }
            freeBytes -= needed; // only now, because the allocation may fail
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Sets {@link #pressed}. Call in each iteration: {@link #takePressed} may have cleared it. */
    private void press() {
        if (!pressed) {
            pressed = true;
            whenPressed.run();
        }
    }

    /** Returns a batch to the pool. Must be called once per batch. */
    void release(ProducerBatch batch) {
        if (batch.pooledBytes == 0) {
            return;
        }
        lock.lock();
        try {
            if (freeBytes + batch.pooledBytes > bytes) {
                throw new InvariantException(
                        53,
                        "memory for batches is bounded by `bufferBytes`",
                        "free=" + freeBytes + " given back=" + batch.pooledBytes + " of " + bytes);
            }
            freeBytes += batch.pooledBytes;
            if (batch.pooledBytes == batchBytes && !closed) {
                kept.push(batch);
            }
            if (freeBytes >= wakeBytes) {
                returned.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether {@link #takePressed} would return true. Does not clear the flag. */
    boolean isPressed() {
        return pressed;
    }

    /**
     * Returns whether a sender has waited for a batch, or got none, since the last call. Clears the flag unless a
     * sender is waiting now.
     */
    boolean takePressed() {
        if (!pressed) {
            return false;
        }
        lock.lock();
        try {
            pressed = lock.hasWaiters(returned);
            return true;
        } finally {
            lock.unlock();
        }
    }

    long freeBytes() {
        lock.lock();
        try {
            return freeBytes;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            kept.clear();
            returned.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
