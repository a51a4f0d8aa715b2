package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.kafka.internal.meters.DecodeTime;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.StartAt;
import dev.weir.lean.spi.CpuBinding;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Fetches with lean consumers, which are Weir's own clients without group membership. Kafka's client is only the group
 * member, and all its partitions are paused. See {@link RecordFetcher} for the threading rules; a {@link LeanReader}
 * may have additional threads.
 *
 * <p>The owner thread waits for records only in the {@link LeanReader}, where {@link #wakeup} ends the wait. It polls
 * Kafka's client without waiting: often while partitions change or a response is awaited, rarely while the group is
 * stable.
 */
public final class LeanFetcher implements RecordFetcher {

    /**
     * Interval between polls of the client while it is busy. Also the maximum wait in a poll without assigned
     * partitions.
     */
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** Time after a change of partitions during which the client counts as busy. */
    private static final long UNSETTLED_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Interval between polls of the client in a stable group. Each poll costs 0.2 ms of CPU time and 3 kB of garbage.
     * With default settings, the member learns of a rebalance within four seconds.
     */
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Interval between polls of a client that reports waiting events. A reported event triggers an earlier poll. */
    private static final long TOLD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long EVENT_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    private static final int POLLS_IN_INTERVAL = 4;

    private final ClientFetcher member;
    private final LeanReader reader;
    private final DecodeTime decodeTime;
    private final int maxPollRecords;

    /** Maximum interval between polls of the client, a fraction of its {@code max.poll.interval.ms}. */
    private final long maxSettledNanos;

    private final Map<TopicPartition, LeanPartition> partitions = new LinkedHashMap<>();

    /** The values of {@link #partitions}, rebuilt after every change. Looping over an array allocates no iterator. */
    private LeanPartition[] all = {};

    private final FetchResult fetched = new FetchResult();

    /** The positions of partitions being revoked, for the commit of their finished offsets. */
    private final Map<TopicPartition, LogPosition> leaving = new HashMap<>();

    /**
     * A failure of {@link #fetchOnly}, thrown by the next poll. Thrown in a rebalance callback, it would prevent the
     * commit of the revoked partitions.
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
     * @param threads the number of fetch threads; with 1 and empty {@code cpus}, the owner thread itself fetches
     * @param cpus the CPU of each of these threads; empty to bind none
     * @param views creates each fetch thread's record maker; its argument counts the time spent in decoders
     * @throws KafkaPipelineException if {@code cpus} is set and the library that it requires is missing
     */
    public static LeanFetcher open(
            Consumer<byte[], byte[]> client,
            Map<String, Object> config,
            int maxBatchBytes,
            String name,
            int threads,
            List<Integer> cpus,
            Function<DecodeTime, FetchedMaker> views) {
        if (!cpus.isEmpty()) {
            try {
                CpuBinding.demand(FetchThread.CPUS);
            } catch (LeanException missing) {
                throw new KafkaPipelineException(Thrown.reason(missing), missing);
            }
        }
        LeanSettings settings = LeanConfig.of(config, threads, maxBatchBytes);
        Duration maxPollInterval = ClientLimits.of(config).maxPollInterval();
        DecodeTime decodeTime = new DecodeTime(threads);
        LeanReader reader = threads == 1 && cpus.isEmpty()
                ? new OwnReader(settings, views.apply(decodeTime))
                : new ThreadedReader(name, threads, cpus, settings, () -> views.apply(decodeTime));
        return new LeanFetcher(client, reader, decodeTime, settings.maxPollRecords(), maxPollInterval);
    }

    @Override
    public FetchResult poll(long nanos) {
        takeBack();
        pollMember(nanos);
        throwFailure();
        if (!partitions.isEmpty() && !hasRecords()) {
            try {
                fetch(nanos);
            } catch (LeanException fault) {
                throw new KafkaException(Thrown.reason(fault), fault);
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
    public FetchResult fetchOnly(long nanos) {
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
            // Returns no records: all partitions of the client are paused.
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
            default -> throw new KafkaException(Thrown.reason(found), found);
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
     * Hands out at most as many records as a poll of Kafka's client would return. The remaining records are kept for
     * the next poll.
     */
    private FetchResult handOut() {
        takeBack(); // a rebalance during this poll may have handed out records
        int left = maxPollRecords;
        for (LeanPartition partition : all) {
            if (left > 0 && !partition.paused && !partition.isEmpty()) {
                List<Fetched> next = partition.handOut(left);
                fetched.add(partition.id, next);
                left -= next.size();
            }
        }
        return fetched;
    }

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
     * Also gives the client an arbitrary position, because it would look one up if it had none. The client never
     * verifies a position without an epoch.
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
            // A listener may seek before hold() is called. A client without a position would look one up in every poll.
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
