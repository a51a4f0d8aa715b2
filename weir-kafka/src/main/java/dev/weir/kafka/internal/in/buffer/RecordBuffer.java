package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
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
import org.jspecify.annotations.Nullable;

/**
 * Fetched records that the pipeline has not pulled yet. Each partition has a queue, and {@link PriorityTurns} selects
 * the next queue, so a full or paused partition does not delay others. The consumer's owner thread adds and removes
 * records; a thread of the pipeline takes them. The buffer is unbounded: the owner thread pauses partitions instead of
 * waiting, because it must keep polling. Thread-safe.
 */
public final class RecordBuffer {

    private static final int MAX_SPARES = 256;

    private final ReentrantLock lock = new ReentrantLock();
    private final OneWaiter readyOrEnded = new OneWaiter(lock);
    private final Clock clock;

    // Guarded by the lock.
    /** Queues that are neither empty nor paused. */
    private final PriorityTurns turns = new PriorityTurns();

    private int records;
    private boolean ended;

    /** True if records were added but the waiting thread has not been woken. */
    private boolean unannounced;

    private @Nullable Runnable onFewReady;
    private boolean fewReady;

    private boolean takerWaits;

    /** True if only the rate limit prevented the last attempt from taking records. */
    private boolean rateForbids;

    /** A batch passed directly to the waiting thread. */
    private @Nullable Batch<Fetched> handed;

    private final Spares<Batch<Fetched>> spares = new Spares<>(MAX_SPARES);

    private final @Nullable DueRecords delay;
    private final RateLimit rate;

    public RecordBuffer(Clock clock) {
        this(clock, null);
    }

    /**
     * Creates a buffer that holds records until they are due according to {@code delay}. All partitions must have the
     * same priority, because records that are not due would delay lower priorities.
     */
    public RecordBuffer(Clock clock, @Nullable DueRecords delay) {
        this.clock = clock;
        this.delay = delay;
        this.rate = new RateLimit(clock);
    }

    /** Adds records of one partition. Their tokens must follow the partition's last token. */
    public void add(AssignedPartition partition, Batch<Fetched> batch) {
        addAll(partition, List.of(batch));
        announce();
    }

    /**
     * Adds records of one partition, or hands them to a thread that waits in {@link #take}. Records handed over count
     * as taken at once. The waiting thread returns them even if it is interrupted.
     */
    public void hand(AssignedPartition partition, Batch<Fetched> batch) {
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

    /** Returns an empty batch to fill and add, reused if possible. May be called from any thread. */
    Batch<Fetched> emptyBatch() {
        Batch<Fetched> spare = spares.take();
        return spare == null ? new Batch<>(1) : spare;
    }

    /**
     * Returns a {@linkplain #take taken} batch for reuse. The caller must no longer use it. May be called from any
     * thread.
     */
    public void giveBack(Batch<Fetched> taken) {
        taken.truncate(0);
        spares.give(taken);
    }

    /** Adds several batches of one partition without waking the waiting thread. Call {@link #announce} afterwards. */
    void addAll(AssignedPartition partition, List<Batch<Fetched>> batches) {
        lock.lock();
        try {
            PartitionQueue queue = partition.buffered();
            boolean wasEmpty = queue.isEmpty();
            for (int i = 0; i < batches.size(); i++) {
                Batch<Fetched> batch = batches.get(i);
                queue.add(batch);
                records += batch.size();
            }
            unannounced |= wasEmpty && becomesReady(queue);
        } finally {
            lock.unlock();
        }
    }

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

    /** Adds the queue to {@link #turns}. Returns false if it is paused or empty. */
    private boolean becomesReady(PartitionQueue queue) {
        if (queue.isPaused() || queue.isEmpty()) {
            return false;
        }
        turns.add(queue);
        return true;
    }

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
     * Ends the buffer: nothing more will be added. Remaining records can still be taken, but records of paused
     * partitions only after a resume.
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
            // The buffer may now be empty. A thread in take() must check whether the buffer has ended.
            readyOrEnded.signal();
        } finally {
            lock.unlock();
        }
        return firstPurged;
    }

    /**
     * Waits for a batch. Returns null once the buffer has ended and is empty, and an empty batch at the deadline.
     *
     * @param deadlineNanos a time on the buffer's clock
     */
    @Nullable
    public Batch<Fetched> take(long deadlineNanos, StageMeter meter) throws InterruptedException {
        Batch<Fetched> batch;
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
     * Takes the next batch, or the due part of it; null if there is none. Releases the lock while a user's function
     * runs.
     */
    private @Nullable Batch<Fetched> poll() {
        while (true) {
            Batch<Fetched> batch = next();
            DueRecords.Question question = delay == null || batch != null ? null : delay.question();
            if (question == null) {
                return batch;
            }
            // The owner thread needs the lock and must not wait for the user's function.
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
     * Takes the next batch without calling a user's function. Returns null if there is none, or if
     * {@link DueRecords#hasQuestion} is true.
     */
    private @Nullable Batch<Fetched> next() {
        rateForbids = !rate.mayTake();
        if (rateForbids) {
            return null;
        }
        if (delay != null) {
            delay.begin();
        }
        for (int n = turns.size(); n > 0; n--) {
            PartitionQueue queue = turns.next();
            Batch<Fetched> batch = delay == null ? queue.batches().remove() : delay.takeDue(queue, rate.most());
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

    private @Nullable Batch<Fetched> awaitTurn(long deadlineNanos) throws InterruptedException {
        Batch<Fetched> batch = null;
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

    private long nextTurnNanos() {
        if (turns.size() == 0) {
            return Stage.NEVER;
        }
        // The rate limit kept the last attempt from checking due times.
        if (rateForbids) {
            return rate.nextNanos();
        }
        return delay == null ? Stage.NEVER : delay.nextDueNanos(clock);
    }

    /** Sets the maximum number of records taken per second; 0 for no limit. */
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

    long waitedNanos() {
        lock.lock();
        try {
            return rate.waitedNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Disables the splitting of batches, for batches with a single token. Call before a rate is set. */
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
     * Requests a callback when at most {@code partitions} partitions of the given priority have records that can be
     * taken. The thread that takes records calls it.
     *
     * @return false if there will be no callback, because the condition is met already or the buffer delays records
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

    /** Returns whether the first record of a partition is not due yet. */
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

    /** Returns the number of records that can be taken, without paused partitions. */
    int ready() {
        lock.lock();
        try {
            return turns.records();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the waiting record with the given token, or null. */
    @Nullable
    public Fetched find(AssignedPartition partition, long token) {
        lock.lock();
        try {
            return partition.buffered().find(partition.tracker(), token);
        } finally {
            lock.unlock();
        }
    }
}
