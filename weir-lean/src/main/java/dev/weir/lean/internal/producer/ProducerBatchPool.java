package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Empty batches, whose total size is limited. If none is left, senders wait or continue without a batch. Thread-safe.
 *
 * <p>Batches of the usual size use direct memory and are reused. A batch for a larger record is on the heap, and the
 * garbage collector frees it. If such a batch used direct memory, that memory would stay occupied until a garbage
 * collection, which nothing else triggers.
 */
final class ProducerBatchPool {

    /**
     * Waiting senders are woken when this many batches, or a quarter of all bytes, are free. Waking a sender for each
     * batch would cost as much as filling the batch. Meanwhile, the batches that are ready to be sent keep the brokers
     * busy.
     */
    private static final int WAKE_BATCHES = 8;

    /**
     * The interval at which a waiting sender checks for free bytes without a wake-up, because a partition without a
     * leader may hold its batches for long.
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
     * @param whenPressed called each time {@link #isPressed} becomes true, by the sender that got no batch and while it
     *     holds this pool's lock; must not block
     */
    ProducerBatchPool(long bytes, int batchBytes, Runnable whenPressed) {
        this(bytes, batchBytes, whenPressed, LOOK_NANOS);
    }

    /** @param lookNanos the interval at which a waiting sender checks for free bytes without a wake-up */
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
     * @param recordBytes an upper bound of the record's size, without the batch's header
     * @param waitNanos the timeout; 0 does not wait
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
                // A large batch needs the space of several. Meanwhile, smaller batches must not take that space piece
                // by piece.
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

    /**
     * Sets the flag. Called in every iteration of a sender's wait. Between its wake-up and its next wait, a sender does
     * not count as waiting, so {@link #takePressed} may have cleared the flag in between.
     */
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

    /** Returns what {@link #takePressed} would return, without clearing the flag. */
    boolean isPressed() {
        return pressed;
    }

    /** Returns whether a sender has failed to get a batch since the last call, or is waiting for one now. */
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

    /** Closes the pool. Senders that are waiting get no batch. */
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
