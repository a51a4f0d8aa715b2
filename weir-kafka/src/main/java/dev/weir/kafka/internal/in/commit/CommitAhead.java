package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.CommitGate;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
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
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Fetched records that wait for a commit past them, because a record may only be emitted if it can never be read again.
 * Confined to the owner thread.
 *
 * <p>A commit covers as many records as the pipeline may have ahead of it, and its confirmation releases them. The
 * owner waits for that, and briefly for the pipeline's next pull; a commit for each single record then costs one round
 * trip and no poll. A failed commit is repeated; it may turn out that it succeeded the first time. Waiting records of a
 * revoked partition are dropped: if their commit succeeded after all, they are lost, never duplicated.
 *
 * <p>Records of a paused partition wait here uncommitted and do not count towards that limit, so others continue. A new
 * position, from a seek for example, waits as an empty batch before the partition's records, and a read end as one
 * after them.
 */
public final class CommitAhead implements CommitGate {

    /** The token of an empty batch that only carries a position. */
    private static final long NO_TOKEN = -1;

    private record Promised(
            AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset, long token) {}

    /** The time other duties wait while the pipeline pulls released records. */
    private static final long SPELL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Longest wait for an answer before other duties get their turn. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final OffsetCommits commits;
    private final RecordOutlets outlets;
    private final int commitAhead;
    private final Predicate<TopicPartition> isPaused;
    private final OwnerWaits signals;
    private final OwnerClock clock;

    private final ArrayDeque<Promised> waiting = new ArrayDeque<>();

    /** Number of waiting records of each partition; partitions without any are absent. */
    private final Map<AssignedPartition, Integer> records = new HashMap<>();

    /** True if pulls by the pipeline would let more batches become {@link #fitting}. */
    private boolean lacksRoom;

    /** True if the pipeline must pull before the next commit. Written by the owner and by the pulling thread. */
    private volatile boolean wantsRoom;

    /** True if a batch waits because it is paused. The owner writes true before it checks. */
    private volatile boolean passesOver;

    /** Creates the waiting queue; {@code isPaused} tells whether a user has paused a partition. */
    public CommitAhead(
            OffsetCommits commits,
            RecordOutlets outlets,
            int commitAhead,
            Predicate<TopicPartition> isPaused,
            OwnerWaits signals,
            OwnerClock clock) {
        this.commits = commits;
        this.outlets = outlets;
        this.commitAhead = commitAhead;
        this.isPaused = isPaused;
        this.signals = signals;
        this.clock = clock;
    }

    @Override
    public int batchSize() {
        return Math.min(commitAhead, Batch.DEFAULT_CAPACITY);
    }

    @Override
    public void add(AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset) {
        waiting.add(new Promised(partition, batch, nextOffset, batch.token(0)));
        records.put(partition, records(partition) + batch.size());
    }

    /** Records of one partition that wait for their commit. */
    public int records(AssignedPartition partition) {
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

    /** Commits and releases waiting records, for a limited time. */
    public void commit() {
        long endNanos = clock.nanoTime() + SPELL_NANOS;
        while (!waiting.isEmpty() && !commits.isBackingOff()) {
            // Set before the check, so that later pulls are reported.
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
                    // No wake-up comes for capacity that is already there.
                    signals.wake();
                }
                return;
            }
            if (next.isEmpty()) {
                signals.park(left);
            }
        }
    }

    /** Returns the first waiting batches of partitions not paused, as far as the pipeline has capacity for them. */
    private List<Promised> fitting() {
        int room = commitAhead - outlets.ready();
        lacksRoom = false;
        List<Promised> fitting = new ArrayList<>();
        // Checked once per partition: one that is resumed meanwhile must not continue in the middle.
        Map<AssignedPartition, Boolean> paused = new HashMap<>();
        passesOver = true;
        for (Promised next : waiting) {
            // A position is committed although its partition is paused, but not before the batches ahead of it.
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
            // The batch is at the front, except for paused ones: thousands may wait behind it.
            if (waiting.removeFirstOccurrence(each)) {
                letGo(each.partition, each.batch.size());
            }
            each.partition.committedAhead(each.nextOffset, clock.nanoTime());
            if (each.token == NO_TOKEN) {
                // A bounded read ends when nothing waits any more, which is checked after the next poll.
                signals.wake();
            } else {
                each.partition.outlet().hand(each.partition, each.batch);
            }
        }
    }

    /**
     * Commits new positions of partitions without later emissions, before the partitions are given up.
     *
     * @throws KafkaException if that fails; the previous commit then stays valid
     */
    public void commitPlaces(Collection<AssignedPartition> partitions, long timeoutNanos) {
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
        int left = records(partition) - gone;
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

    /** Returns whether the owner must learn of new capacity; true once each time. Any thread. */
    public boolean wantsRoom() {
        if (wantsRoom && outlets.ready() <= commitAhead / 2) {
            wantsRoom = false;
            return true;
        }
        return false;
    }

    /** Returns whether the owner must learn of a changed pause. Any thread, after the change. */
    public boolean wantsLook() {
        return passesOver || wantsRoom();
    }

    @Override
    public boolean isWaiting() {
        return !waiting.isEmpty();
    }
}
