package dev.weir.kafka.internal.consumer;

import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Fetched records that wait for a commit past them, because whoever sees a record must be sure that nobody will see it
 * again. Confined to the owner thread.
 *
 * <p>A commit goes past as many records as the pipeline may have before it, and its answer lets them out. It is waited
 * for, and so is, for a short while, the pipeline's next pull: a commit for each single record then costs one round trip
 * and no poll. A commit that fails is repeated, which may find it made the first time. What waits of a partition that
 * goes is dropped: if its commit came through all the same, those records are lost, never doubled.
 */
final class CommitAhead {

    private record Promised(
            AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset, long token) {}

    /** How long the other duties wait while the pipeline pulls what is let out. */
    private static final long SPELL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Time for an answer, after which the other duties have their turn again. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Commits commits;
    private final Outlets outlets;
    private final int commitAhead;
    private final Waiting signals;
    private final Clock clock;

    private final ArrayDeque<Promised> waiting = new ArrayDeque<>();

    /** Whether the pipeline has to pull before the next commit. Written by the owner and by who sees it. */
    private volatile boolean wantsRoom;

    CommitAhead(Commits commits, Outlets outlets, int commitAhead, Waiting signals, Clock clock) {
        this.commits = commits;
        this.outlets = outlets;
        this.commitAhead = commitAhead;
        this.signals = signals;
        this.clock = clock;
    }

    /** Records per batch at most, so that a batch can be committed at all. */
    int batchSize() {
        return Math.min(commitAhead, Batch.DEFAULT_CAPACITY);
    }

    void add(AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset) {
        waiting.add(new Promised(partition, batch, nextOffset, batch.token(0)));
    }

    /** Commits and lets out what waits, for a spell at most. */
    void commit() {
        long endNanos = clock.nanoTime() + SPELL_NANOS;
        while (!waiting.isEmpty() && !commits.isBackingOff()) {
            // Before the look: what is pulled after it is told.
            wantsRoom = true;
            List<Promised> next = fitting();
            if (!next.isEmpty()) {
                wantsRoom = false;
                letOut(next);
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

    /** The first of what waits, as far as there is room in the pipeline. */
    private List<Promised> fitting() {
        int room = commitAhead - outlets.records();
        List<Promised> fitting = new ArrayList<>();
        for (Promised next : waiting) {
            room -= next.batch.size();
            if (room < 0) {
                break;
            }
            fitting.add(next);
        }
        return fitting;
    }

    private void letOut(List<Promised> next) {
        Map<TopicPartition, OffsetAndMetadata> past = new HashMap<>();
        next.forEach(each -> past.put(each.partition.id, new OffsetAndMetadata(each.nextOffset)));
        try {
            commits.commitSync(past, clock.nanoTime() + ANSWER_NANOS);
        } catch (KafkaException failure) {
            commits.retryLater(past, failure);
            return;
        }
        commits.succeededAhead();
        for (Promised each : next) {
            waiting.remove();
            each.partition.committedOffset = each.nextOffset;
            each.partition.outlet.add(each.partition, each.batch);
        }
    }

    /** Drops what waits of the partitions, and says so to their trackers. */
    void drop(Collection<AssignedPartition> partitions) {
        Map<AssignedPartition, Long> first = new HashMap<>();
        waiting.removeIf(each -> {
            if (partitions.contains(each.partition)) {
                first.putIfAbsent(each.partition, each.token);
                return true;
            }
            return false;
        });
        first.forEach((partition, token) -> partition.dropped(partition.tracker.forgetFrom(token)));
    }

    /** Whether room that there is now has to be told to the owner; true once each time. Any thread. */
    boolean wantsRoom() {
        if (wantsRoom && outlets.records() <= commitAhead / 2) {
            wantsRoom = false;
            return true;
        }
        return false;
    }

    /** Records that no commit covers yet. */
    int records() {
        return waiting.stream().mapToInt(each -> each.batch.size()).sum();
    }
}
