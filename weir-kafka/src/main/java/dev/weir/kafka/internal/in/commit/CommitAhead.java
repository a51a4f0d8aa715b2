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
 * Fetched records that wait for a commit past them, because whoever sees a record must be sure that nobody will see it
 * again. Confined to the owner thread.
 *
 * <p>A commit goes past as many records as the pipeline may have before it, and its answer lets them out. It is waited
 * for, and so is, for a short while, the pipeline's next pull: a commit for each single record then costs one round
 * trip and no poll. A commit that fails is repeated, which may find it made the first time. What waits of a partition
 * that goes is dropped: if its commit came through all the same, those records are lost, never doubled.
 *
 * <p>What a user has paused waits here and is not committed, and counts no more as before the pipeline: others go on.
 * Where a partition was placed, by a seek say, waits as a batch of nothing in front of its records,
 * and its end behind them.
 */
public final class CommitAhead implements CommitGate {

    /** The token of what is a position and no records. */
    private static final long NO_TOKEN = -1;

    private record Promised(
            AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset, long token) {}

    /** The time the other duties wait while the pipeline pulls released records. */
    private static final long SPELL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Longest wait for an answer before the other duties have their turn. */
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

    /** True if something would have been {@link #fitting} if the pipeline had pulled more. */
    private boolean lacksRoom;

    /** True if the pipeline has to pull before the next commit. Written by the owner and by who sees it. */
    private volatile boolean wantsRoom;

    /** True if something waits because it is paused. Written by the owner: true before it looks whether that is so. */
    private volatile boolean passesOver;

    /** Creates what asks {@code isPaused} whether a user holds a partition back. */
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

    /** Commits and lets out what waits, for a spell at most. */
    public void commit() {
        long endNanos = clock.nanoTime() + SPELL_NANOS;
        while (!waiting.isEmpty() && !commits.isBackingOff()) {
            // Before the look: what is pulled after it is told.
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
                    // Nobody tells of room that is there already.
                    signals.wake();
                }
                return;
            }
            if (next.isEmpty()) {
                signals.park(left);
            }
        }
    }

    /** The first of what waits and is not paused, as far as there is room in the pipeline. */
    private List<Promised> fitting() {
        int room = commitAhead - outlets.ready();
        lacksRoom = false;
        List<Promised> fitting = new ArrayList<>();
        // Asked once for each: one that is resumed meanwhile must not go on in the middle.
        Map<AssignedPartition, Boolean> paused = new HashMap<>();
        passesOver = true;
        for (Promised next : waiting) {
            // A place is committed though its partition is paused, but not before what is in front of it.
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
            // It stands in front, but for what is paused: thousands may wait behind it.
            if (waiting.removeFirstOccurrence(each)) {
                letGo(each.partition, each.batch.size());
            }
            each.partition.committedAhead(each.nextOffset, clock.nanoTime());
            if (each.token == NO_TOKEN) {
                // A bounded read ends when nothing waits any more, which is looked at behind the next poll.
                signals.wake();
            } else {
                each.partition.outlet().hand(each.partition, each.batch);
            }
        }
    }

    /**
     * Commits the places of partitions that have emitted nothing since, before they are given up.
     *
     * @throws KafkaException if it cannot be done now; then the last commit from before stays
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

    /** Returns whether room that there is now has to be told to the owner; true once each time. Any thread. */
    public boolean wantsRoom() {
        if (wantsRoom && outlets.ready() <= commitAhead / 2) {
            wantsRoom = false;
            return true;
        }
        return false;
    }

    /** Returns whether a change of what is paused has to be told to the owner. Any thread, after the change. */
    public boolean wantsLook() {
        return passesOver || wantsRoom();
    }

    @Override
    public boolean isWaiting() {
        return !waiting.isEmpty();
    }
}
