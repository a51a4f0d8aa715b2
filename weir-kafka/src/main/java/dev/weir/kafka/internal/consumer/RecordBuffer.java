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
    private record Fetched(AssignedPartition partition, long firstToken, Batch<ConsumerRecord<byte[], byte[]>> batch) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmptyOrEnded = lock.newCondition();

    // Under the lock.
    private final ArrayDeque<Fetched> fetched = new ArrayDeque<>();
    private int records;
    private boolean ended;

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
            if (fetched.isEmpty() && !ended) {
                long start = System.nanoTime();
                boolean inTime = awaitRecords(deadlineNanos);
                meter.blockedUp(System.nanoTime() - start);
                if (!inTime) {
                    return new Batch<>(0);
                }
            }
            Fetched first = fetched.poll();
            if (first == null) {
                return null;
            }
            records -= first.batch.size();
            return first.batch;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitRecords(long deadlineNanos) throws InterruptedException {
        while (fetched.isEmpty() && !ended) {
            if (deadlineNanos == Stage.NEVER) {
                notEmptyOrEnded.await();
            } else {
                long left = deadlineNanos - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                notEmptyOrEnded.awaitNanos(left);
            }
        }
        return true;
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
