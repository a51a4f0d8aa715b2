package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One buffer per partition, and a queue of newly assigned partitions. The owner thread opens and ends buffers. The
 * thread of the outer stream takes partitions from the queue. Thread-safe.
 */
public final class PartitionOutlets implements RecordOutlets {

    private final Clock clock;
    private final Supplier<@Nullable DueRecords> delays;
    private final Set<RecordBuffer> open = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition newOrEnded = lock.newCondition();

    // Guarded by the lock.
    private final ArrayDeque<AssignedPartition> announced = new ArrayDeque<>();
    private boolean ended;

    public PartitionOutlets(Clock clock) {
        this(clock, () -> null);
    }

    /**
     * Creates the outlets.
     *
     * @param delays called once per buffer; returns its {@link DueRecords}, or null if records are not delayed
     */
    public PartitionOutlets(Clock clock, Supplier<@Nullable DueRecords> delays) {
        this.clock = clock;
        this.delays = delays;
    }

    @Override
    public void open(AssignedPartition partition) {
        RecordBuffer buffer = new RecordBuffer(clock, delays.get());
        open.add(buffer);
        // First set the buffer: another thread may take the queued partition and read from it immediately.
        partition.goOutBy(buffer);
        lock.lock();
        try {
            announced.add(partition);
            newOrEnded.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void withdrawn(Collection<AssignedPartition> partitions) {
        lock.lock();
        try {
            announced.removeAll(partitions);
        } finally {
            lock.unlock();
        }
        for (AssignedPartition partition : partitions) {
            partition.outlet().end();
            open.remove(partition.outlet());
        }
    }

    @Override
    public void end() {
        lock.lock();
        try {
            ended = true;
            newOrEnded.signal();
        } finally {
            lock.unlock();
        }
        open.forEach(RecordBuffer::end);
    }

    @Override
    public int records() {
        return open.stream().mapToInt(RecordBuffer::records).sum();
    }

    /** Waits for new partitions. Returns null once there are no more, and an empty list at the deadline. */
    @Nullable
    public List<AssignedPartition> take(long deadlineNanos, StageMeter meter) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (announced.isEmpty() && !ended) {
                meter.beginBlockedUp();
                try {
                    while (announced.isEmpty() && !ended && !clock.hasPassed(deadlineNanos)) {
                        clock.await(lock, newOrEnded, deadlineNanos);
                    }
                } finally {
                    meter.endBlockedUp();
                }
            }
            if (announced.isEmpty() && ended) {
                return null;
            }
            List<AssignedPartition> taken = new ArrayList<>(announced);
            announced.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }
}
