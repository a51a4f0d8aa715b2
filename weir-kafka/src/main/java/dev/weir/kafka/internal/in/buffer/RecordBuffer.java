package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.view.Spares;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Fetched records that the pipeline has not pulled yet. There is a queue per partition, and {@link PriorityTurns}
 * selects the queue from which the next batch is taken, so that a full or paused partition does not delay the others.
 * The consumer's owner thread adds and removes records; a thread of the pipeline takes them. The buffer itself is
 * unbounded. If it is full, the owner thread pauses the fetching of partitions instead of waiting, because it must keep
 * polling. Thread-safe.
 */
public final class RecordBuffer {

    /** Maximum number of spare batches retained; enough for partitions that are read as fast as they are written. */
    private static final int MAX_SPARES = 256;

    private final ReentrantLock lock = new ReentrantLock();
    private final OneWaiter readyOrEnded = new OneWaiter(lock);
    private final Clock clock;

    // Guarded by the lock.
    /** Queues that are neither empty nor paused. */
    private final PriorityTurns turns = new PriorityTurns();

    private int records;
    private boolean ended;

    /** True if records were added but the thread that waits for them has not been woken yet. */
    private boolean unannounced;

    private @Nullable Runnable onFewReady;
    private boolean fewReady;

    /** True if a thread of the pipeline waits in {@link #take}. */
    private boolean takerWaits;

    /** True if only the rate limit prevented the last attempt from taking records. */
    private boolean rateForbids;

    /** A batch passed directly to the waiting thread. It no longer counts as buffered. */
    private @Nullable Batch<ConsumerRecord<byte[], byte[]>> handed;

    /** Empty batches for reuse. */
    private final Spares<Batch<ConsumerRecord<byte[], byte[]>>> spares = new Spares<>(MAX_SPARES);

    private final @Nullable DueRecords delay;
    private final RateLimit rate;

    public RecordBuffer(Clock clock) {
        this(clock, null);
    }

    /**
     * Creates a buffer that holds back records until they are due according to {@code delay}. All partitions must have
     * the same priority, because records that are not due would otherwise delay partitions with lower priorities.
     */
    public RecordBuffer(Clock clock, @Nullable DueRecords delay) {
        this.clock = clock;
        this.delay = delay;
        this.rate = new RateLimit(clock);
    }

    /** Adds records of one partition. Their tokens must follow the tokens of the partition's last batch. */
    public void add(AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch) {
        addAll(partition, List.of(batch));
        announce();
    }

    /**
     * Adds records of one partition, or hands them directly to the thread that waits in {@link #take}. Records handed
     * over directly count as taken immediately, even before the waiting thread runs. If that thread is interrupted, it
     * still returns the records.
     */
    public void hand(AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch) {
        lock.lock();
        try {
            if (takerWaits
                    && delay == null
                    && handed == null
                    && turns.size() == 0
                    && rate.perSecond() == 0
                    && !partition.buffered().isPaused()) {
                handed = batch;
                readyOrEnded.signal();
            } else {
                add(partition, batch);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns an empty batch, reused if possible, which the caller can fill and add. May be called from any thread. */
    Batch<ConsumerRecord<byte[], byte[]>> emptyBatch() {
        Batch<ConsumerRecord<byte[], byte[]>> spare = spares.take();
        return spare == null ? new Batch<>(1) : spare;
    }

    /**
     * Makes a {@linkplain #take taken} batch available for reuse. The caller must no longer need its contents. May be
     * called from any thread.
     */
    public void giveBack(Batch<ConsumerRecord<byte[], byte[]>> taken) {
        taken.truncate(0);
        spares.give(taken);
    }

    /**
     * Adds several batches of one partition without waking the thread that waits for records. Call {@link #announce}
     * once for all partitions.
     */
    void addAll(AssignedPartition partition, List<Batch<ConsumerRecord<byte[], byte[]>>> batches) {
        lock.lock();
        try {
            PartitionQueue queue = partition.buffered();
            boolean wasEmpty = queue.isEmpty();
            for (int i = 0; i < batches.size(); i++) {
                Batch<ConsumerRecord<byte[], byte[]>> batch = batches.get(i);
                queue.add(batch);
                records += batch.size();
            }
            unannounced |= wasEmpty && becomesReady(queue);
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the thread that waits for added records. */
    void announce() {
        Thread waiting;
        lock.lock();
        try {
            waiting = unannounced ? readyOrEnded.waiter() : null;
            unannounced = false;
        } finally {
            lock.unlock();
        }
        OneWaiter.wake(waiting);
    }

    /** Adds the queue to {@link #turns} if records can be taken. Returns whether the waiting thread must be woken. */
    private boolean becomesReady(PartitionQueue queue) {
        if (queue.isPaused() || queue.isEmpty()) {
            return false;
        }
        turns.add(queue);
        return true;
    }

    /** Pauses or resumes a partition. While it is paused, none of its records are taken. */
    void pause(AssignedPartition partition, boolean paused) {
        lock.lock();
        try {
            PartitionQueue queue = partition.buffered();
            if (queue.isPaused() != paused) {
                queue.pause(paused);
                if (paused) {
                    turns.remove(queue);
                } else if (becomesReady(queue)) {
                    readyOrEnded.signal();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the buffer: nothing more will be added. The remaining records can be taken, but records of paused partitions
     * can be taken only after a resume.
     */
    public void end() {
        lock.lock();
        try {
            ended = true;
            readyOrEnded.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops the records of the given partitions.
     *
     * @return the first dropped token of each partition that had records
     */
    Map<AssignedPartition, Long> purge(Collection<AssignedPartition> partitions) {
        Map<AssignedPartition, Long> firstPurged = new HashMap<>();
        lock.lock();
        try {
            for (AssignedPartition partition : partitions) {
                PartitionQueue queue = partition.buffered();
                if (!queue.isEmpty()) {
                    firstPurged.put(partition, queue.firstToken());
                    records -= queue.records();
                    queue.clear();
                    turns.remove(queue);
                }
            }
            // The buffer may now be empty. A thread in take() may be waiting for these records, for example because
            // their partitions were paused, and must check whether the buffer has ended.
            readyOrEnded.signal();
        } finally {
            lock.unlock();
        }
        return firstPurged;
    }

    /**
     * Waits for a batch. Returns null once the buffer has ended and is empty, and an empty batch if the deadline
     * passes.
     *
     * @param deadlineNanos a time on the buffer's clock
     */
    @Nullable
    public Batch<ConsumerRecord<byte[], byte[]>> take(long deadlineNanos, StageMeter meter)
            throws InterruptedException {
        Batch<ConsumerRecord<byte[], byte[]>> batch;
        Runnable call;
        lock.lockInterruptibly();
        try {
            batch = poll();
            if (batch == null && !isThrough()) {
                meter.beginBlockedUp();
                try {
                    batch = awaitTurn(deadlineNanos);
                } finally {
                    meter.endBlockedUp();
                }
            }
            if (batch == null && !isThrough()) {
                batch = new Batch<>(0);
            }
            call = fewReady ? onFewReady : null;
            fewReady = false;
        } finally {
            lock.unlock();
        }
        if (call != null) {
            call.run();
        }
        return batch;
    }

    private boolean isThrough() {
        return ended && records == 0;
    }

    /**
     * Takes the next batch, or the part of it that is due; null if there is none. Releases the lock while a user's
     * function runs.
     */
    private @Nullable Batch<ConsumerRecord<byte[], byte[]>> poll() {
        while (true) {
            Batch<ConsumerRecord<byte[], byte[]>> batch = next();
            DueRecords.Question question = delay == null || batch != null ? null : delay.question();
            if (question == null) {
                return batch;
            }
            // The owner thread needs the lock and must not wait for a user's function.
            lock.unlock();
            try {
                question.ask();
            } finally {
                lock.lock();
            }
            question.settle();
        }
    }

    /**
     * Takes the next batch without calling a user's function. Returns null if there is none, or if the function
     * {@linkplain DueRecords#hasQuestion must be called} first.
     */
    private @Nullable Batch<ConsumerRecord<byte[], byte[]>> next() {
        rateForbids = !rate.mayTake();
        if (rateForbids) {
            return null;
        }
        if (delay != null) {
            delay.begin();
        }
        for (int n = turns.size(); n > 0; n--) {
            PartitionQueue queue = turns.next();
            Batch<ConsumerRecord<byte[], byte[]>> batch =
                    delay == null ? queue.batches().remove() : delay.takeDue(queue, rate.most());
            if (delay != null && delay.hasQuestion()) {
                turns.addFirst(queue);
                return null;
            }
            if (batch != null) {
                batch = rate.cut(batch, queue.batches());
            }
            if (!queue.isEmpty()) {
                turns.add(queue);
            }
            if (batch != null) {
                turns.taken(batch.size());
                fewReady |= turns.isDue();
                queue.taken(batch.size());
                records -= batch.size();
                return batch;
            }
        }
        return null;
    }

    private @Nullable Batch<ConsumerRecord<byte[], byte[]>> awaitTurn(long deadlineNanos) throws InterruptedException {
        Batch<ConsumerRecord<byte[], byte[]>> batch = null;
        takerWaits = true;
        try {
            while (batch == null && !isThrough() && !clock.hasPassed(deadlineNanos)) {
                rate.waits(turns.size() > 0 && rateForbids);
                clock.await(lock, readyOrEnded, Math.min(deadlineNanos, nextTurnNanos()));
                batch = handed == null ? poll() : handed;
            }
        } catch (InterruptedException interrupted) {
            if (handed == null) {
                throw interrupted;
            }
            Thread.currentThread().interrupt();
            batch = handed;
        } finally {
            rate.waits(false);
            takerWaits = false;
            handed = null;
        }
        return batch;
    }

    /**
     * Returns the next time at which the rate limit or the due times may permit records to be taken. All other changes
     * wake the waiting thread.
     */
    private long nextTurnNanos() {
        if (turns.size() == 0) {
            return Stage.NEVER;
        }
        // The last attempt did not check due times, because the rate limit did not permit any records.
        if (rateForbids) {
            return rate.nextNanos();
        }
        return delay == null ? Stage.NEVER : delay.nextDueNanos(clock);
    }

    /** Sets the maximum number of records taken per second; 0 for no limit. Excess records stay in the buffer. */
    void perSecond(long newRate) {
        lock.lock();
        try {
            rate.set(newRate);
            readyOrEnded.signal();
        } finally {
            lock.unlock();
        }
    }

    long perSecond() {
        lock.lock();
        try {
            return rate.perSecond();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the total time for which only the rate has held back records. */
    long waitedNanos() {
        lock.lock();
        try {
            return rate.waitedNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Disables the splitting of batches. Needed if one token covers a whole batch. Call before a rate is set. */
    public void keepWhole() {
        lock.lock();
        try {
            rate.keepWhole();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of buffered records of a partition. */
    public int records(AssignedPartition partition) {
        lock.lock();
        try {
            return partition.buffered().records();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of the given partitions from which records can be taken. */
    int countReady(List<AssignedPartition> partitions) {
        int ready = 0;
        lock.lock();
        try {
            for (AssignedPartition partition : partitions) {
                PartitionQueue queue = partition.buffered();
                ready += queue.records() > 0 && !queue.isPaused() ? 1 : 0;
            }
        } finally {
            lock.unlock();
        }
        return ready;
    }

    /**
     * Requests a callback as soon as at most {@code partitions} partitions of the given priority have records that can
     * be taken. The callback is made by the thread that takes records. A request cannot be cancelled.
     *
     * @return false if there will be no callback, because the condition is already met or the buffer delays records
     *     until they are due
     */
    boolean watchReady(int priority, int partitions, Runnable call) {
        lock.lock();
        try {
            onFewReady = call;
            return delay == null && turns.watch(priority, partitions);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the first waiting record of a partition is not due yet. */
    public boolean isNotDue(AssignedPartition partition) {
        lock.lock();
        try {
            return delay != null && delay.isNotDue(partition.buffered());
        } finally {
            lock.unlock();
        }
    }

    public int records() {
        lock.lock();
        try {
            return records;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of records that can be taken. Records of paused partitions are not included. */
    int ready() {
        lock.lock();
        try {
            return turns.records();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the waiting record with the given token; null if there is none. */
    @Nullable
    public ConsumerRecord<byte[], byte[]> find(AssignedPartition partition, long token) {
        lock.lock();
        try {
            return partition.buffered().find(partition.tracker(), token);
        } finally {
            lock.unlock();
        }
    }
}
