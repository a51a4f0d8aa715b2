package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.spi.InvariantException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Batches to be filled, bounded in bytes: who takes the last one waits, or goes without. Thread-safe.
 *
 * <p>Batches of the usual size are direct and are kept. One for a larger record lies in the heap and is left to the
 * collector: outside the heap it would wait for a collection that nothing else causes.
 */
final class ProducerBatchPool {

    /**
     * A sender that waits is woken when so many batches can be had, or a quarter of all: to be woken for each costs as
     * much as to fill one. Batches that wait to be sent keep the broker busy meanwhile.
     */
    private static final int WAKE_BATCHES = 8;

    /**
     * Interval at which a waiting sender checks by itself: a partition without a leader may hold up batches for long.
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
     * @param whenPressed called each time that {@link #isPressed} becomes true, by whoever goes without, under this
     *     pool's lock: must not block
     */
    ProducerBatchPool(long bytes, int batchBytes, Runnable whenPressed) {
        this(bytes, batchBytes, whenPressed, LOOK_NANOS);
    }

    /** @param lookNanos after which a sender that waits looks by itself, though nobody woke it */
    ProducerBatchPool(long bytes, int batchBytes, Runnable whenPressed, long lookNanos) {
        this.whenPressed = whenPressed;
        this.bytes = bytes;
        this.freeBytes = bytes;
        this.batchBytes = batchBytes;
        this.wakeBytes = Math.min((long) WAKE_BATCHES * batchBytes, bytes / 4);
        this.lookNanos = lookNanos;
    }

    /**
     * Takes a batch that has room for a record.
     *
     * @param recordBytes at most; the batch's header comes on top
     * @param waitNanos for so long, at most; 0 does not wait
     * @return null if there was none in time, or the pool is closed
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
                // A large one needs room of several: smaller ones do not take it away piece by piece.
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

    /** A sender that was woken in vain stood at no condition for a moment, and was perhaps overlooked. */
    private void press() {
        if (!pressed) {
            pressed = true;
            whenPressed.run();
        }
    }

    /** Takes a batch back, once. */
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

    /** Returns the answer {@link #takePressed} would give. */
    boolean isPressed() {
        return pressed;
    }

    /** Returns whether somebody went without since the last time that this was asked, or waits. */
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

    /** Whoever waits goes without. */
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
