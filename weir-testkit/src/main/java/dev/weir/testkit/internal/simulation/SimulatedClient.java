package dev.weir.testkit.internal.simulation;

import dev.weir.testkit.internal.simulation.Draw.Of;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * The consumer client of one process. Simulated time advances during its polls. Confined to the consumer's thread,
 * except for {@link #wakeup}.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // only wakeup() is called by other threads
final class SimulatedClient extends MockConsumer<byte[], byte[]> {

    private record Pending(
            Map<TopicPartition, OffsetAndMetadata> offsets,
            OffsetCommitCallback callback,
            long answerNanos,
            int number) {}

    private static final Duration MAX_START_WAIT = Duration.ofMillis(20);

    private final World world;
    private final long maxPollRecords;

    /** True once a poll has found the pipeline running. */
    private boolean begun;

    private final Queue<Pending> pending = new ArrayDeque<>();

    private volatile boolean woken;

    private int polls;
    private int fetches;

    SimulatedClient(World world, long maxPollRecords) {
        super("none");
        this.world = world;
        this.maxPollRecords = maxPollRecords;
    }

    // ---- Membership ------------------------------------------------------------------------------------------------

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        world.group().join(Set.copyOf(topics)::contains, listener);
    }

    @Override
    public void subscribe(Pattern pattern, ConsumerRebalanceListener listener) {
        world.group().join(pattern.asMatchPredicate(), listener);
    }

    @Override
    public void assign(Collection<TopicPartition> ids) {
        world.group().assign(ids);
    }

    @Override
    public void close(CloseOptions options) {
        world.closed();
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        if (!begun) {
            // The number of polls before the pipeline runs depends on real time, so none of them returns records.
            begun = world.awaitRunning(MAX_START_WAIT);
            return ConsumerRecords.empty();
        }
        long untilNanos = world.nanoTime() + timeout.toNanos();
        if (!world.isCalm() && world.draw().oneIn(60, Of.POLL, world.starts(), polls++)) {
            throw new TimeoutException("a broker is slow");
        }
        while (true) {
            world.settle();
            throwIfWoken();
            answerDue();
            world.befall();
            ConsumerRecords<byte[], byte[]> records = fetch();
            if (!records.isEmpty() || world.nanoTime() >= untilNanos) {
                return records;
            }
            long answerNanos = pending.isEmpty() ? Long.MAX_VALUE : pending.element().answerNanos;
            world.move(Math.min(untilNanos, Math.min(answerNanos, world.nextEventNanos())));
        }
    }

    private ConsumerRecords<byte[], byte[]> fetch() {
        findPositions();
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> fetched = new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new LinkedHashMap<>();
        long room = maxPollRecords;
        int number = fetches++;
        for (PartitionLog log : world.logs().toList()) {
            boolean answered = world.isCalm() || !world.draw().oneIn(3, Of.FETCH, world.starts(), number, log.number);
            if (log.owned && !log.paused && answered && log.position >= 0) {
                long most = 1 + world.draw().below(30, Of.FETCH, world.starts(), number, log.number, 1);
                List<ConsumerRecord<byte[], byte[]>> read = log.read(Math.min(room, most));
                room -= read.size();
                next.put(log.id, new OffsetAndMetadata(log.position));
                if (!read.isEmpty()) {
                    fetched.put(log.id, read);
                }
            }
        }
        return new ConsumerRecords<>(fetched, next);
    }

    private void findPositions() {
        Set<TopicPartition> unknown = new HashSet<>();
        world.logs()
                .filter(log -> log.owned && log.position == PartitionLog.UNKNOWN)
                .forEach(log -> {
                    if (log.committed() == PartitionLog.UNKNOWN) {
                        unknown.add(log.id);
                    } else {
                        log.seek(log.committed());
                    }
                });
        if (!unknown.isEmpty()) {
            throw new NoOffsetForPartitionException(unknown);
        }
    }

    private PartitionLog owned(TopicPartition id) {
        PartitionLog log = world.log(id);
        if (!log.owned) {
            throw new IllegalStateException("not assigned: " + id);
        }
        return log;
    }

    @Override
    public void seek(TopicPartition id, long offset) {
        owned(id).seek(offset);
    }

    @Override
    public void seek(TopicPartition id, OffsetAndMetadata place) {
        owned(id).seek(place.offset());
    }

    @Override
    public long position(TopicPartition id, Duration timeout) {
        PartitionLog log = owned(id);
        if (log.position == PartitionLog.UNKNOWN) {
            throw new TimeoutException("not known yet");
        }
        return log.position;
    }

    @Override
    public OptionalLong currentLag(TopicPartition id) {
        PartitionLog log = owned(id);
        return log.position == PartitionLog.UNKNOWN ? OptionalLong.empty() : OptionalLong.of(log.end() - log.position);
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        ids.forEach(id -> owned(id).paused = true);
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        ids.forEach(id -> owned(id).paused = false);
    }

    @Override
    public void wakeup() {
        woken = true;
    }

    private void throwIfWoken() {
        if (woken) {
            woken = false;
            throw new WakeupException();
        }
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        int number = world.nextCommit();
        long latencyNanos = TimeUnit.MILLISECONDS.toNanos(3);
        if (!world.isCalm() && world.draw().oneIn(4, Of.COMMIT, number)) {
            latencyNanos = TimeUnit.SECONDS.toNanos(5);
        }
        long answerNanos = world.nanoTime() + 1 + world.draw().below(latencyNanos, Of.COMMIT, number, 1);
        pending.add(new Pending(Map.copyOf(offsets), callback, answerNanos, number));
    }

    private void answerDue() {
        while (!pending.isEmpty() && pending.element().answerNanos <= world.nanoTime()) {
            Pending due = pending.remove();
            answer(due, world.isCalm() ? null : drawFailure(due.number));
        }
    }

    private @Nullable Exception drawFailure(int number) {
        return switch ((int) world.draw().below(12, Of.COMMIT, number, 2)) {
            case 0 -> new RetriableCommitFailedException(new TimeoutException("the answer was lost"));
            case 1 -> new RetriableCommitFailedException(new TimeoutException("the commit was lost"));
            case 2 -> new StaleMemberEpochException("the member has a new epoch");
            case 3 -> new RebalanceInProgressException("the group rebalances");
            default -> null;
        };
    }

    private void answer(Pending due, @Nullable Exception failure) {
        boolean lostOnTheWayBack = failure instanceof RetriableCommitFailedException
                && world.draw().below(12, Of.COMMIT, due.number, 2) == 0;
        if (failure == null || lostOnTheWayBack) {
            world.commit(due.offsets);
        }
        if (failure != null) {
            world.history().world("commit fails " + failure.getMessage());
        }
        due.callback.onComplete(due.offsets, failure);
    }

    /** Fails all outstanding commits, because partitions were revoked. */
    void refuseCommits() {
        while (!pending.isEmpty()) {
            answer(pending.remove(), new CommitFailedException());
        }
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        if (world.isGone()) {
            throw new FencedInstanceIdException("the simulated process is gone");
        }
        throwIfWoken();
        while (!pending.isEmpty()) {
            answer(pending.remove(), null);
        }
        int number = world.nextCommit();
        if (!world.isCalm() && !world.isStopping() && world.draw().oneIn(5, Of.COMMIT, number)) {
            world.history().world("commit fails a broker is slow");
            throw new TimeoutException("a broker is slow");
        }
        world.commit(offsets);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration timeout) {
        throwIfWoken();
        return ids.stream()
                .map(world::log)
                .filter(log -> log.commit() != null)
                .collect(Collectors.toMap(log -> log.id, log -> Objects.requireNonNull(log.commit())));
    }
}
