package dev.weir.kafka.internal.consumer;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Fetched records that the pipeline has not pulled yet. Thread-safe: the owner thread adds and purges, the segment
 * thread takes. Not bounded by itself: the owner pauses partitions instead of waiting here, so that it always polls.
 */
final class RecordBuffer {

    /** Records of one partition with consecutive tokens from {@code firstToken} on. */
    record Fetched(AssignedPartition partition, long firstToken, Batch<ConsumerRecord<byte[], byte[]>> batch) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmptyOrEnded = lock.newCondition();

    // Under the lock.
    private final ArrayDeque<Fetched> fetched = new ArrayDeque<>();
    private int records;
    private boolean ended;

    private final @Nullable Delay delay;

    /** Creates one whose records may be taken at once. */
    RecordBuffer() {
        this(null);
    }

    /** Creates one whose records may be taken when {@code delay} says that they are due. */
    RecordBuffer(@Nullable Delay delay) {
        this.delay = delay;
    }

    void add(AssignedPartition partition, long firstToken, Batch<ConsumerRecord<byte[], byte[]>> batch) {
        lock.lock();
        try {
            fetched.add(new Fetched(partition, firstToken, batch));
            records += batch.size();
            notEmptyOrEnded.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Says that nothing more will be added; what is inside still comes out. */
    void end() {
        lock.lock();
        try {
            ended = true;
            notEmptyOrEnded.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops the records of the given partitions.
     *
     * @return for each partition that lost records the token of the first one
     */
    Map<AssignedPartition, Long> purge(Set<AssignedPartition> partitions) {
        Map<AssignedPartition, Long> firstPurged = new HashMap<>();
        lock.lock();
        try {
            for (Iterator<Fetched> each = fetched.iterator(); each.hasNext(); ) {
                Fetched candidate = each.next();
                if (partitions.contains(candidate.partition)) {
                    each.remove();
                    records -= candidate.batch.size();
                    firstPurged.putIfAbsent(candidate.partition, candidate.firstToken);
                }
            }
            // Who waits for the next to be due may have nothing to wait for any more.
            notEmptyOrEnded.signal();
        } finally {
            lock.unlock();
        }
        return firstPurged;
    }

    /** Waits for a batch; null once the buffer has ended and is empty, an empty batch at the deadline. */
    @Nullable
    Batch<ConsumerRecord<byte[], byte[]>> take(long deadlineNanos, StageMeter meter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Fetched first = poll();
            if (first == null && !isOver()) {
                long start = System.nanoTime();
                first = await(deadlineNanos);
                meter.blockedUp(System.nanoTime() - start);
            }
            if (first == null) {
                return isOver() ? null : new Batch<>(0);
            }
            records -= first.batch.size();
            return first.batch;
        } finally {
            lock.unlock();
        }
    }

    private boolean isOver() {
        return ended && fetched.isEmpty();
    }

    private @Nullable Fetched poll() {
        return delay == null ? fetched.poll() : delay.pollDue(fetched);
    }

    private @Nullable Fetched await(long deadlineNanos) throws InterruptedException {
        Fetched first = null;
        while (first == null && !isOver()) {
            long untilNanos = delay == null ? deadlineNanos : Math.min(deadlineNanos, delay.nextDueNanos());
            if (untilNanos == Stage.NEVER) {
                notEmptyOrEnded.await();
            } else if (deadlineNanos != Stage.NEVER && deadlineNanos - System.nanoTime() <= 0) {
                return null;
            } else {
                long ignored = notEmptyOrEnded.awaitNanos(untilNanos - System.nanoTime());
            }
            first = poll();
        }
        return first;
    }

    int records() {
        lock.lock();
        try {
            return records;
        } finally {
            lock.unlock();
        }
    }
}
