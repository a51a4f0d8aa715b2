package dev.weir.kafka.internal.consumer;

import dev.weir.stream.spi.Batch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Fetched records that wait for a commit past them, because whoever sees a record must be sure that nobody will see it
 * again. Confined to the owner thread.
 *
 * <p>One commit is under way at a time, past as many records as the pipeline may have before it; its answer lets them
 * out. A commit that fails is repeated, which may find it made the first time. What waits of a partition that goes is
 * dropped: if its commit comes through all the same, those records are lost, never doubled.
 */
final class CommitAhead {

    private record Waiting(
            AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset, long token) {}

    private final Consumer<?, ?> client;
    private final Commits commits;
    private final Outlets outlets;
    private final int commitAhead;
    private final Runnable onAnswer;

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** The first ones of {@link #waiting}, as long as their commit is under way. */
    private int underWay;

    /** Whether the pipeline has to pull before the next commit. Written by the owner and by who sees it. */
    private volatile boolean wantsRoom;

    /**
     * Creates a stage with nothing in it.
     *
     * @param onAnswer called within a poll when the next commit may be sent
     */
    CommitAhead(Consumer<?, ?> client, Commits commits, Outlets outlets, int commitAhead, Runnable onAnswer) {
        this.onAnswer = onAnswer;
        this.client = client;
        this.commits = commits;
        this.outlets = outlets;
        this.commitAhead = commitAhead;
    }

    /** Records per batch at most, so that a batch can be committed at all. */
    int batchSize() {
        return Math.min(commitAhead, Batch.DEFAULT_CAPACITY);
    }

    void add(AssignedPartition partition, Batch<ConsumerRecord<byte[], byte[]>> batch, long nextOffset) {
        waiting.add(new Waiting(partition, batch, nextOffset, batch.token(0)));
    }

    /** Sends the next commit if there is something to send and room for it. */
    void commitNext() {
        if (underWay > 0 || waiting.isEmpty() || commits.isBackingOff()) {
            return;
        }
        // Before the look: what is pulled after it is told.
        wantsRoom = true;
        int room = commitAhead - outlets.records();
        Map<TopicPartition, OffsetAndMetadata> past = new HashMap<>();
        List<Waiting> chosen = new ArrayList<>();
        for (Waiting next : waiting) {
            room -= next.batch.size();
            if (room < 0) {
                break;
            }
            past.put(next.partition.id, new OffsetAndMetadata(next.nextOffset));
            chosen.add(next);
        }
        if (chosen.isEmpty()) {
            return;
        }
        wantsRoom = false;
        underWay = chosen.size();
        client.commitAsync(past, (offsets, failure) -> answered(chosen, offsets, failure));
    }

    /** Whether a commit may have reached the brokers whose records are not out yet. */
    boolean isUnderWay() {
        return underWay > 0;
    }

    private void answered(
            List<Waiting> chosen, Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable Exception failure) {
        underWay = 0;
        onAnswer.run();
        if (failure != null) {
            commits.retryLater(offsets, failure);
            return;
        }
        commits.succeededAhead();
        Set<Waiting> confirmed = Set.copyOf(chosen);
        for (Waiting next = waiting.peek(); next != null && confirmed.contains(next); next = waiting.peek()) {
            waiting.remove();
            next.partition.committedOffset = next.nextOffset;
            next.partition.outlet.add(next.partition, next.batch);
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
