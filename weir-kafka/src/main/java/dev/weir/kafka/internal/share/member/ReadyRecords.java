package dev.weir.kafka.internal.share.member;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Acquired records that wait for the pipeline, and the demand for more. Share consumers add records, and the pipeline's
 * thread takes them. Thread-safe.
 *
 * <p>There is demand while few records wait. After waiting records were released, there is no demand until the pipeline
 * asks for records again. A stalled pipeline would otherwise use up the deliveries of records that it never processes.
 */
final class ReadyRecords {

    private static final int MAX_BATCH = 64;

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition came = lock.newCondition();
    private final Condition demand = lock.newCondition();
    private final ArrayDeque<AcquiredRecord> queue = new ArrayDeque<>();

    // Guarded by the lock.
    private long starvedNanos;
    private long waitsSinceNanos;
    private boolean waits;
    private boolean ended;
    private boolean over;
    private boolean pulling;
    private boolean stands;
    private int lowWater = 1;

    ReadyRecords(Clock clock) {
        this.clock = clock;
    }

    void put(List<AcquiredRecord> records) {
        lock.lock();
        try {
            records.forEach(AcquiredRecord::offered);
            queue.addAll(records);
            came.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Sets the number of waiting records below which there is demand. */
    void lowWater(int records) {
        lock.lock();
        try {
            lowWater = Math.max(1, records);
        } finally {
            lock.unlock();
        }
    }

    /** Waits at most {@code nanos} for demand. Returns false if there is none, or after {@link #end}. */
    boolean awaitDemand(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (!ended && !hasDemand()) {
                if (left <= 0) {
                    return false;
                }
                left = demand.awaitNanos(left);
            }
            return !ended;
        } finally {
            lock.unlock();
        }
    }

    boolean isWanted() {
        lock.lock();
        try {
            return !ended && hasDemand();
        } finally {
            lock.unlock();
        }
    }

    private boolean hasDemand() {
        return pulling || (!stands && queue.size() < lowWater);
    }

    /** Reports that waiting records were released because the pipeline did not take them in time. */
    void passedBy() {
        lock.lock();
        try {
            stands = true;
            queue.removeIf(AcquiredRecord::isGone);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the next records, an empty batch at the deadline, or null at the end. Called on the pipeline's thread.
     */
    @Nullable
    Batch<AcquiredRecord> take(long deadlineNanos, StageMeter meter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                if (ended) {
                    queue.removeIf(record -> !record.isLastDelivery());
                }
                List<AcquiredRecord> taken = takeWaiting();
                if (!taken.isEmpty()) {
                    return batch(taken);
                }
                if (ended) {
                    over = true;
                    return null;
                }
                if (clock.hasPassed(deadlineNanos)) {
                    return new Batch<>(0);
                }
                awaitRecords(deadlineNanos, meter);
            }
        } finally {
            pulling = false;
            lock.unlock();
        }
    }

    private List<AcquiredRecord> takeWaiting() {
        List<AcquiredRecord> taken = new ArrayList<>();
        long now = System.nanoTime();
        while (taken.size() < MAX_BATCH && !queue.isEmpty()) {
            AcquiredRecord next = queue.removeFirst();
            if (next.take(now)) {
                taken.add(next);
            }
        }
        if (!taken.isEmpty()) {
            stands = false;
            if (queue.size() < lowWater) {
                demand.signalAll();
            }
        }
        return taken;
    }

    private void awaitRecords(long deadlineNanos, StageMeter meter) throws InterruptedException {
        pulling = true;
        demand.signalAll();
        waitsSinceNanos = System.nanoTime();
        waits = true;
        meter.beginBlockedUp();
        try {
            clock.await(lock, came, deadlineNanos);
        } finally {
            meter.endBlockedUp();
            waits = false;
            starvedNanos += System.nanoTime() - waitsSinceNanos;
        }
    }

    private static Batch<AcquiredRecord> batch(List<AcquiredRecord> taken) {
        Object[] values = taken.toArray();
        long[] tokens = new long[values.length];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = i;
        }
        return Batch.of(values, values.length, new AcquisitionTarget(taken), tokens);
    }

    /**
     * Ends the supply of records. The pipeline still receives waiting records in their last delivery, because the group
     * would drop them.
     */
    void end() {
        lock.lock();
        try {
            ended = true;
            came.signalAll();
            demand.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the pipeline has seen the end and takes no more records. */
    boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    boolean isEnded() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns how long the pipeline has waited for records, in nanoseconds, including a current wait. */
    long starvedNanos() {
        lock.lock();
        try {
            return starvedNanos + (waits ? System.nanoTime() - waitsSinceNanos : 0);
        } finally {
            lock.unlock();
        }
    }
}
