package dev.weir.kafka.internal.fetch;

import dev.weir.kafka.internal.lookup.Contact;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.StartAt;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Fetches by lean consumers, while Kafka's client, with all its partitions paused, is the member of the group. See
 * {@link Fetcher} for threads; a {@link LeanReader} may have more below.
 *
 * <p>Only the reader is waited for and woken. The client is polled without waiting, often enough for its rebalances
 * and answers.
 */
public final class LeanFetcher implements Fetcher {

    /** The interval at which the client is polled, and its wait while there is no partition. */
    private static final long MEMBER_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** The same once no records came for {@link #IDLE_AFTER_NANOS}: each look costs the client some 0.2 ms of work. */
    private static final long IDLE_MEMBER_NANOS = TimeUnit.MILLISECONDS.toNanos(75);

    private static final long IDLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientFetcher member;
    private final LeanReader reader;
    private final int maxPollRecords;
    private final Map<TopicPartition, LeanPartition> partitions = new LinkedHashMap<>();

    /**
     * The positions of partitions that are being revoked: what is finished of them is committed after they were
     * withdrawn.
     */
    private final Map<TopicPartition, LogPosition> leaving = new HashMap<>();

    /** Of all partitions, found by {@link #fetchOnly} and to be thrown by the next poll. */
    private @Nullable LeanException fault;

    private long memberDueNanos = System.nanoTime();

    private long lastRecordsNanos = System.nanoTime();

    private LeanFetcher(Consumer<byte[], byte[]> client, LeanReader reader, int maxPollRecords) {
        this.member = new ClientFetcher(client);
        this.reader = reader;
        this.maxPollRecords = maxPollRecords;
    }

    /**
     * Makes a fetcher with the client's own configuration, as far as it is about fetching.
     *
     * @param name of the consumer, for threads
     * @param maxBatchBytes of a decompressed batch
     * @param threads 1: the owner thread fetches; more: so many others do
     * @param views makes, for each thread that fetches, what makes what is handed out of each record, which is gone
     *     afterwards
     */
    public static LeanFetcher open(
            Consumer<byte[], byte[]> client,
            Map<String, Object> config,
            int maxBatchBytes,
            String name,
            int threads,
            Supplier<Views.Maker> views) {
        LeanSettings settings = LeanConfig.of(config, threads, maxBatchBytes);
        LeanReader reader = threads == 1
                ? new OwnReader(settings, views.get())
                : new ThreadedReader(name, threads, settings, views);
        return new LeanFetcher(client, reader, settings.maxPollRecords());
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(long nanos) {
        pollMember(nanos);
        throwFailure();
        if (!partitions.isEmpty() && !hasRecords()) {
            try {
                fetch(nanos);
            } catch (LeanException fault) {
                throw new KafkaException(fault.getMessage(), fault);
            }
        }
        return handOut();
    }

    @Override
    public boolean canFetchOnly() {
        return fault == null && !partitions.isEmpty();
    }

    @Override
    public ConsumerRecords<byte[], byte[]> fetchOnly(long nanos) {
        try {
            if (!hasRecords() && reader.turn() == 0 && nanos > 0) {
                reader.await(nanos);
                var ignored = reader.turn();
            }
        } catch (LeanException found) {
            fault = found;
        }
        return handOut();
    }

    private void fetch(long nanos) {
        if (reader.turn() == 0) {
            long wait = Math.min(nanos, memberDueNanos - System.nanoTime());
            if (wait > 0) {
                reader.await(wait);
                var ignored = reader.turn();
            }
        }
    }

    private void pollMember(long nanos) {
        boolean idle = partitions.isEmpty();
        if (!idle && System.nanoTime() - memberDueNanos < 0) {
            return;
        }
        try {
            leaving.clear();
            // Nothing comes of it: all its partitions are paused.
            var ignored = member.poll(idle ? Math.min(nanos, MEMBER_NANOS) : 0);
        } finally {
            long now = System.nanoTime();
            memberDueNanos = now + untilMember(now);
        }
    }

    private long untilMember(long now) {
        return now - lastRecordsNanos < IDLE_AFTER_NANOS ? MEMBER_NANOS : IDLE_MEMBER_NANOS;
    }

    private void throwFailure() {
        LeanException found = fault;
        if (found != null) {
            fault = null;
            throw new KafkaException(found.getMessage(), found);
        }
        for (LeanPartition partition : partitions.values()) {
            KafkaException failure = partition.failure;
            if (failure != null && !partition.paused && partition.isEmpty()) {
                partition.failure = null;
                throw failure;
            }
        }
    }

    private boolean hasRecords() {
        for (LeanPartition partition : partitions.values()) {
            if (!partition.paused && !partition.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Not more than a poll of the client would return: of a batch, lean hands out all. */
    private ConsumerRecords<byte[], byte[]> handOut() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new HashMap<>();
        int left = maxPollRecords;
        for (LeanPartition partition : partitions.values()) {
            if (left > 0 && !partition.paused && !partition.isEmpty()) {
                List<ConsumerRecord<byte[], byte[]>> next = partition.handOut(left);
                records.put(partition.id, next);
                left -= next.size();
            }
        }
        if (records.isEmpty()) {
            return ConsumerRecords.empty();
        }
        lastRecordsNanos = System.nanoTime();
        // A commit that one of them waits for, or causes, is not to be answered later for the idle time before.
        memberDueNanos = Math.min(memberDueNanos, lastRecordsNanos + MEMBER_NANOS);
        return new ConsumerRecords<>(records, Map.of());
    }

    @Override
    public void wakeup() {
        reader.wakeup();
    }

    @Override
    public void assigned(Collection<TopicPartition> ids) {
        member.pause(ids);
        leaving.keySet().removeAll(ids);
        for (TopicPartition id : ids) {
            LeanPartition partition = new LeanPartition(id);
            partitions.put(id, partition);
        }
    }

    @Override
    public void withdrawn(Collection<TopicPartition> ids) {
        for (TopicPartition id : ids) {
            LeanPartition partition = partitions.get(id);
            if (partition == null) {
                continue;
            }
            leaving.put(id, new LogPosition(position(id), leaderEpoch(id)));
            partitions.remove(id);
            reader.remove(partition);
        }
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        for (TopicPartition id : ids) {
            LeanPartition partition = taken(id);
            partition.paused = true;
            reader.pausedOrResumed(partition);
        }
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        for (TopicPartition id : ids) {
            LeanPartition partition = taken(id);
            partition.paused = false;
            reader.pausedOrResumed(partition);
        }
    }

    /**
     * Told to the client as well, which would look for a position otherwise. There it stays: without an epoch,
     * unchecked.
     */
    @Override
    public void hold(TopicPartition id) {
        member.hold(id);
        LeanPartition partition = taken(id);
        partition.drop();
        partition.failure = null;
        reader.remove(partition);
    }

    @Override
    public void seek(TopicPartition id, LogPosition place) {
        LeanPartition partition = taken(id);
        partition.drop();
        partition.failure = null;
        StartAt start = StartAt.offset(place.offset(), place.leaderEpoch());
        if (!reader.isPlaced(partition)) {
            // A listener may have placed what was never held: the client, without a position, would look for one each
            // poll.
            member.hold(id);
        }
        reader.place(partition, start);
    }

    @Override
    public long position(TopicPartition id) {
        LeanPartition partition = partitions.get(id);
        if (partition == null) {
            LogPosition left = leaving.get(id);
            return left == null ? UNKNOWN : left.offset();
        }
        if (!reader.isPlaced(partition)) {
            return UNKNOWN;
        }
        return partition.isEmpty() ? reader.position(partition) : partition.nextOffset();
    }

    @Override
    public int leaderEpoch(TopicPartition id) {
        LeanPartition partition = partitions.get(id);
        if (partition == null) {
            LogPosition left = leaving.get(id);
            return left == null ? UNKNOWN : left.leaderEpoch();
        }
        return reader.isPlaced(partition) && partition.isEmpty() ? reader.leaderEpoch(partition) : UNKNOWN;
    }

    @Override
    public long lag(TopicPartition id) {
        LeanPartition partition = taken(id);
        long end = reader.isPlaced(partition) ? reader.endOffset(partition) : UNKNOWN;
        return end < 0 ? UNKNOWN : Math.max(0, end - position(id));
    }

    @Override
    public Contact contact() {
        return reader.contact(member.contact());
    }

    private LeanPartition taken(TopicPartition id) {
        LeanPartition partition = partitions.get(id);
        if (partition == null) {
            throw new IllegalStateException(id + " is not assigned");
        }
        return partition;
    }

    @Override
    public void close() {
        reader.close();
    }
}
