package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.kafka.internal.meters.DecodeTime;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.StartAt;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Fetches with lean consumers, which are Weir's own clients without group membership. Kafka's client is only the group
 * member, and all its partitions are paused. See {@link RecordFetcher} for the threading rules; a {@link LeanReader}
 * may have additional threads.
 *
 * <p>While partitions are assigned, the owner thread waits only in the {@link LeanReader}, where {@link #wakeup} ends
 * the wait. It polls Kafka's client without waiting: frequently while the client has work to do, and rarely while the
 * group is stable.
 */
public final class LeanFetcher implements RecordFetcher {

    /**
     * Interval between polls of the client while it is busy (a response is awaited, or partitions changed recently).
     * Also the maximum wait in a poll while no partition is assigned.
     */
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /**
     * Period after a change of partitions during which the client counts as busy, because the group may not be stable
     * yet.
     */
    private static final long UNSETTLED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Interval between polls of the client in a stable group. Each poll costs 0.2 ms of CPU time and 3 kB of garbage.
     * With default settings, this interval raises the maximum time until the member learns of a rebalance from three
     * seconds to four.
     */
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Interval between polls of the client in a stable group if the client reports the number of events waiting for its
     * next poll. This number is read every {@link #EVENT_LOOK_NANOS}, and a waiting event triggers a poll.
     */
    private static final long TOLD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long EVENT_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    private static final int POLLS_IN_INTERVAL = 4;

    private final ClientFetcher member;
    private final LeanReader reader;
    private final DecodeTime decodeTime;
    private final int maxPollRecords;

    /** Maximum interval between polls of the client. It is a fraction of the client's {@code max.poll.interval.ms}. */
    private final long maxSettledNanos;

    private final Map<TopicPartition, LeanPartition> partitions = new LinkedHashMap<>();

    /**
     * The values of {@link #partitions}, rebuilt after every change. An array, because every poll loops over it and
     * should not allocate an iterator.
     */
    private LeanPartition[] all = {};

    /** The records of the last poll. Reused. */
    private final Fetched fetched = new Fetched();

    /**
     * The positions of partitions being revoked. The partitions have already been removed, but the commit of their
     * finished offsets still needs the positions.
     */
    private final Map<TopicPartition, LogPosition> leaving = new HashMap<>();

    /**
     * A failure of {@link #fetchOnly}, which the next poll throws. A failure thrown within a rebalance callback would
     * prevent the commit of the revoked partitions.
     */
    private @Nullable Throwable fault;

    private long memberDueNanos = System.nanoTime();
    private long eventLookDueNanos = memberDueNanos;
    private long changedNanos = memberDueNanos;
    private boolean answerAwaited;

    LeanFetcher(
            Consumer<byte[], byte[]> client,
            LeanReader reader,
            DecodeTime decodeTime,
            int maxPollRecords,
            Duration maxPollInterval) {
        this.decodeTime = decodeTime;
        this.member = new ClientFetcher(client);
        this.reader = reader;
        this.maxPollRecords = maxPollRecords;
        this.maxSettledNanos = maxPollInterval.toNanos() / POLLS_IN_INTERVAL;
    }

    /**
     * Creates a fetcher with the fetch settings of the client's configuration.
     *
     * @param name the consumer's name, used in thread names
     * @param maxBatchBytes limit for a decompressed batch
     * @param threads 1 to fetch on the owner thread; otherwise the number of separate fetch threads
     * @param views creates the record maker of each fetch thread, which converts fetched records to the objects handed
     *     out; the function's argument counts the time spent in decoders
     */
    public static LeanFetcher open(
            Consumer<byte[], byte[]> client,
            Map<String, Object> config,
            int maxBatchBytes,
            String name,
            int threads,
            Function<DecodeTime, FetchedViews.Maker> views) {
        LeanSettings settings = LeanConfig.of(config, threads, maxBatchBytes);
        Duration maxPollInterval = ClientLimits.of(config).maxPollInterval();
        DecodeTime decodeTime = new DecodeTime(threads);
        LeanReader reader = threads == 1
                ? new OwnReader(settings, views.apply(decodeTime))
                : new ThreadedReader(name, threads, settings, () -> views.apply(decodeTime));
        return new LeanFetcher(client, reader, decodeTime, settings.maxPollRecords(), maxPollInterval);
    }

    @Override
    public Fetched poll(long nanos) {
        takeBack();
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
    public long throttledNanos() {
        return TimeUnit.MILLISECONDS.toNanos(reader.throttledMillis());
    }

    @Override
    public DecodeTime decodeTime() {
        return decodeTime;
    }

    @Override
    public boolean canFetchOnly() {
        return fault == null && !partitions.isEmpty();
    }

    @Override
    public Fetched fetchOnly(long nanos) {
        takeBack();
        try {
            if (!hasRecords() && reader.turn() == 0 && nanos > 0) {
                reader.await(nanos);
                var ignored = reader.turn();
            }
        } catch (Throwable found) {
            fault = found;
        }
        return handOut();
    }

    private void fetch(long nanos) {
        if (reader.turn() == 0) {
            long wait = Math.min(nanos, nextMemberLook() - System.nanoTime());
            if (wait > 0) {
                reader.await(wait);
                var ignored = reader.turn();
            }
        }
    }

    private void pollMember(long nanos) {
        boolean idle = partitions.isEmpty();
        if (!idle && !isMemberDue()) {
            return;
        }
        try {
            leaving.clear();
            // Returns no records, because all partitions of the client are paused.
            var ignored = member.poll(idle ? Math.min(nanos, BUSY_NANOS) : 0);
        } finally {
            long now = System.nanoTime();
            boolean busy = answerAwaited || now - changedNanos < UNSETTLED_NANOS;
            long settledNanos = Math.min(maxSettledNanos, member.tellsEvents() ? TOLD_NANOS : SETTLED_NANOS);
            memberDueNanos = now + (busy ? BUSY_NANOS : settledNanos);
        }
    }

    private boolean isMemberDue() {
        long now = System.nanoTime();
        if (now - memberDueNanos >= 0) {
            return true;
        }
        if (!member.tellsEvents() || now - eventLookDueNanos < 0) {
            return false;
        }
        eventLookDueNanos = now + EVENT_LOOK_NANOS;
        return member.hasEvents();
    }

    private long nextMemberLook() {
        return member.tellsEvents() && eventLookDueNanos - memberDueNanos < 0 ? eventLookDueNanos : memberDueNanos;
    }

    @Override
    public boolean fetchesByTopicId() {
        return true;
    }

    @Override
    public void awaitAnswer(boolean awaited) {
        answerAwaited = awaited;
        if (awaited) {
            busy(System.nanoTime());
        }
    }

    private void busy(long now) {
        if (memberDueNanos - now > BUSY_NANOS) {
            memberDueNanos = now + BUSY_NANOS;
        }
    }

    private void changed() {
        all = partitions.values().toArray(LeanPartition[]::new);
        changedNanos = System.nanoTime();
        busy(changedNanos);
    }

    private void throwFailure() {
        Throwable found = fault;
        fault = null;
        switch (found) {
            case null -> {}
            case RuntimeException unchecked when !(unchecked instanceof LeanException) -> throw unchecked;
            case Error error -> throw error;
            default -> throw new KafkaException(found.getMessage(), found);
        }
        for (LeanPartition partition : all) {
            KafkaException failure = partition.failure;
            if (failure != null && !partition.paused && partition.isEmpty()) {
                partition.failure = null;
                throw failure;
            }
        }
    }

    private boolean hasRecords() {
        for (LeanPartition partition : all) {
            if (!partition.paused && !partition.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Hands out no more records than a poll of Kafka's client would return. The lean consumer delivers whole batches,
     * so some records may be left for the next poll.
     */
    private Fetched handOut() {
        takeBack(); // reclaim again, because a rebalance during this poll may have handed out records
        int left = maxPollRecords;
        for (LeanPartition partition : all) {
            if (left > 0 && !partition.paused && !partition.isEmpty()) {
                List<ConsumerRecord<byte[], byte[]>> next = partition.handOut(left);
                fetched.add(partition.id, next);
                left -= next.size();
            }
        }
        return fetched;
    }

    /** Reclaims the lists of the last poll, which the caller no longer uses. */
    private void takeBack() {
        fetched.clear();
        for (LeanPartition partition : all) {
            partition.takeBack();
        }
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
        changed();
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
        changed();
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
     * Also sets a placeholder position in the client. Without a position, the client would look one up. The placeholder
     * never changes, and the client never verifies it because it has no epoch.
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
            // A listener may call seek() before hold() is called for the partition. Make sure that the client has a
            // position, because it would otherwise look one up in every poll.
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
    public BrokerContact contact() {
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
