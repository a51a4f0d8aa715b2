package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Batches to be filled, limited in bytes. When none is left, senders wait or continue without one. Thread-safe.
 *
 * <p>Batches of the usual size are direct and reused. A batch for a larger record is on the heap and left to the
 * garbage collector; as direct memory it would wait for a collection that nothing else causes.
 */
final class ProducerBatchPool {

    /**
     * A waiting sender is woken when this many batches are free, or a quarter of all, because a wake-up for each costs
     * as much as filling one. Batches that wait to be sent keep the broker busy meanwhile.
     */
    private static final int WAKE_BATCHES = 8;

    /**
     * Interval at which a waiting sender checks without a wake-up, because a partition without a leader may hold up
     * batches for long.
     */
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
     * @param whenPressed called each time {@link #isPressed} becomes true, by the sender that got no batch, under this
     *     pool's lock; must not block
     */
    ProducerBatchPool(long bytes, int batchBytes, Runnable whenPressed) {
        this(bytes, batchBytes, whenPressed, LOOK_NANOS);
    }

    /**
     * @param lookNanos interval at which a waiting sender checks without a wake-up
     */
    ProducerBatchPool(long bytes, int batchBytes, Runnable whenPressed, long lookNanos) {
        this.whenPressed = whenPressed;
        this.bytes = bytes;
        this.freeBytes = bytes;
        this.batchBytes = batchBytes;
        this.wakeBytes = Math.min((long) WAKE_BATCHES * batchBytes, bytes / 4);
        this.lookNanos = lookNanos;
    }

    /**
     * Takes a batch with space for a record.
     *
     * @param recordBytes upper bound of the record's size, without the batch's header
     * @param waitNanos the timeout; 0 does not wait
     * @return null after the timeout, or if the pool is closed
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
                // A large batch needs the space of several; smaller ones must not take that space piece by piece.
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
            freeBytes -= needed;
            ProducerBatch batch = large ? null : kept.poll();
            if (batch != null) {
                return batch;
            }
            return new ProducerBatch(large ? ByteBuffer.allocate(needed) : ByteBuffer.allocateDirect(needed), needed);
        } finally {
            lock.unlock();
        }
    }

    /** A sender woken in vain was briefly not waiting, and may have missed a signal. */
    private void press() {
        if (!pressed) {
            pressed = true;
            whenPressed.run();
        }
    }

    /** Returns a batch to the pool, once. */
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

    /** Returns the result that {@link #takePressed} would have. */
    boolean isPressed() {
        return pressed;
    }

    /** Returns whether a sender got no batch since the last call, or is waiting for one. */
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

    /** Waiting senders get no batch. */
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
