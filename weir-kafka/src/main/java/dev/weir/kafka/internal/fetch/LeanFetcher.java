package dev.weir.kafka.internal.fetch;

import dev.weir.kafka.internal.lookup.Contact;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanMetrics;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordView;
import dev.weir.lean.StartAt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Fetches by a {@link LeanConsumer}, while Kafka's client, with all its partitions paused, is the member of the group. See
 * {@link Fetcher} for threads.
 *
 * <p>Only lean is waited for and woken. The client is polled without waiting, often enough for its rebalances and answers.
 */
public final class LeanFetcher implements Fetcher {

    /** How often the client is polled, and how long it is waited for while there is no partition. */
    private static final long MEMBER_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** The same once no records came for {@link #IDLE_AFTER_NANOS}: each look costs the client some 0.2 ms of work. */
    private static final long IDLE_MEMBER_NANOS = TimeUnit.MILLISECONDS.toNanos(75);

    private static final long IDLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long MIN_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ClientFetcher member;
    private final LeanConsumer lean;
    private final int maxPollRecords;

    /** Of records in one turn, decompressed; the last one may exceed it. */
    private final int maxTurnBytes;

    private final Function<RecordView, ConsumerRecord<byte[], byte[]>> views;
    private final Map<TopicPartition, LeanPartition> partitions = new LinkedHashMap<>();

    /** By their index in the lean consumer. */
    private final List<@Nullable LeanPartition> byIndex = new ArrayList<>();

    /** Where partitions were that are being revoked: what is finished of them is committed after they were withdrawn. */
    private final Map<TopicPartition, LogPosition> leaving = new HashMap<>();

    /** Of all partitions, found by {@link #fetchOnly} and to be thrown by the next poll. */
    private @Nullable LeanException fault;

    private long turnBytes;

    private long memberDueNanos = System.nanoTime();

    private long lastRecordsNanos = System.nanoTime();

    private LeanFetcher(
            Consumer<byte[], byte[]> client,
            LeanConsumer lean,
            LeanSettings settings,
            Function<RecordView, ConsumerRecord<byte[], byte[]>> views) {
        this.member = new ClientFetcher(client);
        this.lean = lean;
        this.maxPollRecords = settings.maxPollRecords();
        this.maxTurnBytes = settings.maxFetchBytes();
        this.views = views;
    }

    /**
     * Makes a fetcher with the client's own configuration, as far as it is about fetching.
     *
     * @param views makes what is handed out of each record, which is gone afterwards
     */
    public static LeanFetcher open(
            Consumer<byte[], byte[]> client,
            Map<String, Object> config,
            Function<RecordView, ConsumerRecord<byte[], byte[]>> views) {
        LeanSettings settings = LeanConfig.of(config);
        return new LeanFetcher(client, LeanConsumer.open(settings), settings, views);
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
            if (!hasRecords() && turn() == 0 && nanos > 0) {
                lean.await(Duration.ofNanos(Math.max(MIN_WAIT_NANOS, nanos)));
                var ignored = turn();
            }
        } catch (LeanException found) {
            fault = found;
        }
        return handOut();
    }

    private void fetch(long nanos) {
        if (turn() == 0) {
            long wait = Math.min(nanos, memberDueNanos - System.nanoTime());
            if (wait > 0) {
                lean.await(Duration.ofNanos(Math.max(MIN_WAIT_NANOS, wait)));
                var ignored = turn();
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

    private void place(LeanPartition partition, StartAt start) {
        int index = lean.assign(partition.id.topic(), partition.id.partition(), start);
        partition.index = index;
        while (byIndex.size() <= index) {
            byIndex.add(null);
        }
        byIndex.set(index, partition);
        if (partition.paused) {
            lean.pause(index);
        }
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

    /** Lets lean do what is to be done; returns how much that was. */
    private int turn() {
        turnBytes = 0;
        try {
            return lean.poll(this::take);
        } catch (PartitionException fault) {
            LeanPartition partition = partitions.get(new TopicPartition(fault.topic(), fault.partition()));
            if (partition != null) {
                partition.failure = LeanFaults.asOfClient(partition.id, fault);
            }
            return 1;
        }
    }

    private void take(RecordView record) {
        turnBytes += record.sizeBytes();
        if (turnBytes >= maxTurnBytes) {
            lean.endPoll();
        }
        Objects.requireNonNull(byIndex.get(record.index())).add(views.apply(record));
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
        lean.wakeup();
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
            unassign(partition);
        }
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        for (TopicPartition id : ids) {
            LeanPartition partition = taken(id);
            partition.paused = true;
            if (partition.index != LeanPartition.NOWHERE) {
                lean.pause(partition.index);
            }
        }
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        for (TopicPartition id : ids) {
            LeanPartition partition = taken(id);
            partition.paused = false;
            if (partition.index != LeanPartition.NOWHERE) {
                lean.resume(partition.index);
            }
        }
    }

    private void unassign(LeanPartition partition) {
        if (partition.index != LeanPartition.NOWHERE) {
            lean.unassign(partition.index);
            byIndex.set(partition.index, null);
            partition.index = LeanPartition.NOWHERE;
        }
    }

    /** Told to the client as well, which would look for a position otherwise. There it stays: without an epoch, unchecked. */
    @Override
    public void hold(TopicPartition id) {
        member.hold(id);
        LeanPartition partition = taken(id);
        partition.drop();
        partition.failure = null;
        unassign(partition);
    }

    @Override
    public void seek(TopicPartition id, LogPosition place) {
        LeanPartition partition = taken(id);
        partition.drop();
        partition.failure = null;
        StartAt start = StartAt.offset(place.offset(), place.leaderEpoch());
        if (partition.index == LeanPartition.NOWHERE) {
            // A listener may have placed what was never held: the client, without a position, would look for one each
            // poll.
            member.hold(id);
            place(partition, start);
        } else {
            lean.seek(partition.index, start);
        }
    }

    @Override
    public long position(TopicPartition id) {
        LeanPartition partition = partitions.get(id);
        if (partition == null) {
            LogPosition left = leaving.get(id);
            return left == null ? UNKNOWN : left.offset();
        }
        if (partition.index == LeanPartition.NOWHERE) {
            return UNKNOWN;
        }
        return partition.isEmpty() ? lean.position(partition.index) : partition.nextOffset();
    }

    @Override
    public int leaderEpoch(TopicPartition id) {
        LeanPartition partition = partitions.get(id);
        if (partition == null) {
            LogPosition left = leaving.get(id);
            return left == null ? UNKNOWN : left.leaderEpoch();
        }
        return partition.index == LeanPartition.NOWHERE || !partition.isEmpty()
                ? UNKNOWN
                : lean.leaderEpoch(partition.index);
    }

    @Override
    public long lag(TopicPartition id) {
        LeanPartition partition = taken(id);
        long end = partition.index == LeanPartition.NOWHERE ? UNKNOWN : lean.endOffset(partition.index);
        return end < 0 ? UNKNOWN : Math.max(0, end - position(id));
    }

    @Override
    public Contact contact() {
        LeanMetrics own = lean.metrics();
        return member.contact().plus(own.fetches() + own.metadataRefreshes(), own.disconnects());
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
        lean.close();
    }
}
