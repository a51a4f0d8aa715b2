package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.CommitGate;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Holds fetched records until they are committed, for at-most-once delivery. Confined to the owner thread.
 *
 * <p>A commit covers as many records as fit into the pipeline's buffer. This class emits the records once the commit is
 * confirmed. A failed commit is repeated. When a partition is revoked, its waiting records are dropped.
 *
 * <p>An empty batch represents a position to commit, after a seek or at the end of a bounded read.
 */
public final class CommitAhead extends DeliveryCommits implements CommitGate {

    /** Token of an empty batch, which represents a position to commit. */
    private static final long NO_TOKEN = -1;

    private record Promised(AssignedPartition partition, Batch<Fetched> batch, long nextOffset, long token) {}

    /** Maximum time that the owner thread spends on commits before it returns to its other duties. */
    private static final long SPELL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RecordOutlets outlets;
    private final int commitAhead;
    private final Predicate<TopicPartition> isPaused;
    private final OwnerWaits signals;
    private final OwnerClock clock;

    private final ArrayDeque<Promised> waiting = new ArrayDeque<>();

    private final Map<AssignedPartition, Integer> records = new HashMap<>();

    /** True if the last call of {@link #fitting} left out a batch for lack of free capacity. */
    private boolean lacksRoom;

    /**
     * True if the pipeline must pull before more records can be committed. Written by the owner thread and the pulling
     * thread.
     */
    private volatile boolean wantsRoom;

    /**
     * True if batches may be waiting because their partition is paused. Set before the pauses are checked, because a
     * concurrent resume must wake the owner thread.
     */
    private volatile boolean passesOver;

    /**
     * Creates an instance without waiting records.
     *
     * @param isPaused returns whether the user has paused a partition
     */
    public CommitAhead(
            OffsetCommits commits,
            RecordOutlets outlets,
            int commitAhead,
            Predicate<TopicPartition> isPaused,
            OwnerWaits signals,
            OwnerClock clock) {
        super(commits);
        this.outlets = outlets;
        this.commitAhead = commitAhead;
        this.isPaused = isPaused;
        this.signals = signals;
        this.clock = clock;
    }

    @Override
    public String guarantee() {
        return "at most once";
    }

    @Override
    public CommitGate gate() {
        return this;
    }

    @Override
    public long nanosUntilDue() {
        return commits.isBackingOff() ? commits.nanosUntilDue() : Long.MAX_VALUE;
    }

    @Override
    public int batchSize() {
        return Math.min(commitAhead, Batch.DEFAULT_CAPACITY);
    }

    @Override
    public void add(AssignedPartition partition, Batch<Fetched> batch, long nextOffset) {
        waiting.add(new Promised(partition, batch, nextOffset, batch.token(0)));
        records.put(partition, waitingRecords(partition) + batch.size());
    }

    @Override
    public int waitingRecords(AssignedPartition partition) {
        return records.getOrDefault(partition, 0);
    }

    @Override
    public void place(AssignedPartition partition, long offset) {
        partition.placeIsUncommitted(offset);
        readTo(partition, offset);
    }

    @Override
    public void readTo(AssignedPartition partition, long offset) {
        waiting.add(new Promised(partition, new Batch<>(0), offset, NO_TOKEN));
    }

    /**
     * Commits and releases waiting records. Starts no commit after {@link #SPELL_NANOS}. Waits at most
     * {@link #ANSWER_NANOS} for a response.
     */
    @Override
    void commitDue(List<AssignedPartition> assigned) {
        long endNanos = clock.nanoTime() + SPELL_NANOS;
        while (!waiting.isEmpty() && !commits.isBackingOff()) {
            // Set before the free capacity is checked, because every later pull must wake the owner thread.
            wantsRoom = true;
            List<Promised> next = fitting();
            if (!next.isEmpty()) {
                wantsRoom = false;
                letOut(next);
            } else if (!lacksRoom) {
                wantsRoom = false;
                return;
            }
            long left = endNanos - clock.nanoTime();
            if (left <= 0) {
                if (!next.isEmpty()) {
                    // The pipeline may have pulled while wantsRoom was false.
                    signals.wake();
                }
                return;
            }
            if (next.isEmpty()) {
                signals.park(left);
            }
        }
    }

    /** Returns the first waiting batches of partitions that are not paused, up to the pipeline's free capacity. */
    private List<Promised> fitting() {
        int room = commitAhead - outlets.ready();
        lacksRoom = false;
        List<Promised> fitting = new ArrayList<>();
        // Check each partition only once. If the user resumed it during this loop, its batches could be committed out
        // of order.
        Map<AssignedPartition, Boolean> paused = new HashMap<>();
        passesOver = true;
        for (Promised next : waiting) {
            // Commit positions of paused partitions too, but only after the partition's earlier batches.
            boolean waits = next.token == NO_TOKEN
                    ? paused.getOrDefault(next.partition, false)
                    : paused.computeIfAbsent(next.partition, each -> isPaused.test(each.id()));
            if (waits || commits.isGone(next.partition.id())) {
                continue;
            }
            room -= next.batch.size();
            if (room < 0) {
                lacksRoom = true;
                break;
            }
            fitting.add(next);
        }
        passesOver = paused.containsValue(true);
        return fitting;
    }

    private void letOut(List<Promised> next) {
        Map<TopicPartition, OffsetAndMetadata> past = new HashMap<>();
        next.forEach(
                each -> past.put(each.partition.id(), commits.texts().commitAhead(each.partition, each.nextOffset)));
        try {
            commits.commitSync(past, clock.nanoTime() + ANSWER_NANOS);
        } catch (KafkaException failure) {
            commits.retryLater(past, failure);
            return;
        }
        commits.succeededAhead();
        for (Promised each : next) {
            // A short search: this batch is near the head of the queue.
            if (waiting.removeFirstOccurrence(each)) {
                letGo(each.partition, each.batch.size());
            }
            each.partition.committedAhead(each.nextOffset, clock.nanoTime());
            if (each.token == NO_TOKEN) {
                // End the current poll, because a bounded read may have ended.
                signals.wake();
            } else {
                each.partition.outlet().hand(each.partition, each.batch);
            }
        }
    }

    /**
     * Commits positions that are not committed yet. Called before the consumer gives up the partitions.
     *
     * @throws KafkaException if the commit fails; the previous commit then remains valid
     */
    @Override
    public void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos) {
        Map<TopicPartition, OffsetAndMetadata> places = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            if (partition.uncommittedPlace() != AssignedPartition.UNKNOWN) {
                places.put(partition.id(), commits.texts().commitAhead(partition, partition.uncommittedPlace()));
            }
        }
        if (!places.isEmpty()) {
            commits.commitSync(places, clock.nanoTime() + timeoutNanos);
        }
    }

    private void letGo(AssignedPartition partition, int gone) {
        int left = waitingRecords(partition) - gone;
        if (left == 0) {
            records.remove(partition);
        } else {
            records.put(partition, left);
        }
    }

    @Override
    public void drop(Collection<AssignedPartition> partitions) {
        partitions.forEach(records::remove);
        Map<AssignedPartition, Long> first = new HashMap<>();
        waiting.removeIf(each -> {
            if (!partitions.contains(each.partition)) {
                return false;
            }
            if (each.token != NO_TOKEN) {
                first.putIfAbsent(each.partition, each.token);
            }
            return true;
        });
        first.forEach(
                (partition, token) -> partition.dropped(partition.tracker().forgetFrom(token)));
    }

    @Override
    public void taken() {
        if (wantsRoom()) {
            signals.wake();
        }
    }

    @Override
    public void pausesChanged() {
        if (wantsLook()) {
            signals.wake();
        }
    }

    /**
     * Returns whether the owner thread waits for free capacity that is now available. Returns true only once per wait.
     * May be called from any thread.
     */
    private boolean wantsRoom() {
        if (wantsRoom && outlets.ready() <= commitAhead / 2) {
            wantsRoom = false;
            return true;
        }
        return false;
    }

    /**
     * Returns whether the owner thread must be woken after the user has paused or resumed partitions. Must be called
     * after the change. May be called from any thread.
     */
    boolean wantsLook() {
        return passesOver || wantsRoom();
    }

    @Override
    public boolean isWaiting() {
        return !waiting.isEmpty();
    }
}
