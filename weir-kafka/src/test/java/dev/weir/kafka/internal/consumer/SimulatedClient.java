package dev.weir.kafka.internal.consumer;

import static dev.weir.kafka.internal.consumer.SimulatedWorld.require;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** The consumer's client. Whatever the world does, it does while this polls. Confined to the world's thread. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // everything here runs on one thread
final class SimulatedClient extends MockConsumer<byte[], byte[]> {

    private static final int MAX_IDLE_SPINS = 20;
    private static final int VALUE_BYTES = 4;
    private static final RecordHeaders NO_HEADERS = new RecordHeaders();

    /**
     * A commit on its way.
     *
     * @param epochs of the partitions when it was sent
     */
    private record Pending(
            Map<TopicPartition, OffsetAndMetadata> offsets,
            Map<TopicPartition, Integer> epochs,
            OffsetCommitCallback callback,
            long answerNanos) {}

    final int maxPollRecords;
    private final SimulatedWorld world;
    private final SimulatedGroup group;
    private final Random random;

    private @Nullable Pending pendingCommit;
    private boolean woken;
    /** True if the last fetch has moved a position. */
    private boolean advanced;

    private int spins;
    private int finalRebalances;

    SimulatedClient(SimulatedWorld world, SimulatedGroup group) {
        super("earliest");
        this.world = world;
        this.group = group;
        this.random = world.random;
        this.maxPollRecords = 1 + random.nextInt(40);
    }

    /** Another process takes the place of the one that died. */
    void restart() {
        refuseCommit();
        woken = false;
    }

    // ---- Membership ------------------------------------------------------------------------------------------------

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
        group.listener = callback;
    }

    @Override
    public void close(CloseOptions options) {
        if (!world.crashed) {
            Objects.requireNonNull(group.listener).onPartitionsRevoked(group.owned());
        }
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        throwIfWoken();
        group.rebalancedInPoll = false;
        if (pendingCommit != null && world.nanoTime() - pendingCommit.answerNanos >= 0) {
            answerCommit(drawCommitFailure());
        }
        int actions = random.nextInt(4);
        for (int i = 0; i < actions; i++) {
            world.act();
        }
        if (random.nextInt(100) == 0) {
            throw new TimeoutException("a broker is slow");
        }
        world.troubles.throwInPoll();
        ConsumerRecords<byte[], byte[]> records = fetch();
        if (records.isEmpty() && !advanced) {
            sleep(timeout);
        } else {
            // As the client does, also if there was nothing to see where it has advanced.
            spins = 0;
        }
        return records;
    }

    private void sleep(Duration timeout) {
        if (timeout.isZero()) {
            require(++spins < MAX_IDLE_SPINS, "polls without waiting though nothing happens");
            return;
        }
        spins = 0;
        throwIfWoken();
        world.requireReasonToSleep(finalRebalances > 0);
        world.passAtMost(timeout.toNanos());
        throwIfWoken();
    }

    private ConsumerRecords<byte[], byte[]> fetch() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> fetched = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        int room = maxPollRecords;
        advanced = false;
        List<SimulatedLog> inAnyOrder = new ArrayList<>(world.logs.values());
        Collections.shuffle(inAnyOrder, random);
        for (SimulatedLog log : inAnyOrder) {
            if (!log.owned || random.nextInt(3) == 0 || world.troubles.hinders(log)) {
                continue;
            }
            require(log.positionKnown || log.paused, () -> "fetches before it is known where to go on: " + log.id);
            List<ConsumerRecord<byte[], byte[]>> list = new ArrayList<>();
            while (!log.paused && room > 0 && log.position < log.end) {
                if (log.visible.get((int) log.position)) {
                    list.add(record(log));
                    room--;
                }
                log.positionEpoch = log.elections.epochAt(log.position);
                log.position++;
                advanced = true;
            }
            if (log.owned && !log.held && log.positionKnown) {
                next.put(log.id, log.place());
            }
            if (!list.isEmpty()) {
                require(!log.held, () -> "fetches though it is not known where to go on: " + log.id);
                fetched.put(log.id, list);
            }
        }
        return new ConsumerRecords<>(fetched, next);
    }

    /** The record at the position, which says of which topic and of which leader it is. */
    private static ConsumerRecord<byte[], byte[]> record(SimulatedLog log) {
        return new ConsumerRecord<>(
                log.id.topic(),
                log.id.partition(),
                log.position,
                ConsumerRecord.NO_TIMESTAMP,
                TimestampType.NO_TIMESTAMP_TYPE,
                0,
                VALUE_BYTES,
                null,
                new byte[] {(byte) log.elections.incarnation(), 0, 0, 0},
                NO_HEADERS,
                Optional.of(log.elections.epochAt(log.position)));
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

    @Override
    public void seek(TopicPartition id, long offset) {
        SimulatedLog log = world.log(id);
        require(log.owned, () -> "seeks what it does not have: " + id);
        log.hold();
    }

    @Override
    public void seek(TopicPartition id, OffsetAndMetadata place) {
        SimulatedLog log = world.log(id);
        require(log.owned, () -> "seeks what it does not have: " + id);
        log.goOn(place.offset(), place.leaderEpoch().orElse(SimulatedElections.UNKNOWN), world.outOfRange);
    }

    @Override
    public long position(TopicPartition id, Duration timeout) {
        throw new AssertionError("a client that is asked for a position may swallow what its poll was to throw");
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        ids.forEach(id -> paused(id, true));
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        require(!world.stopped || !world.pipeline().ended, () -> "resumed after the end: " + ids);
        ids.forEach(id -> paused(id, false));
    }

    private void paused(TopicPartition id, boolean to) {
        SimulatedLog log = world.log(id);
        require(log.owned, () -> "pause or resume of what it does not have: " + id);
        require(to || log.paused, () -> id + " resumed though it was not paused");
        log.paused = to;
    }

    @Override
    public OptionalLong currentLag(TopicPartition id) {
        SimulatedLog log = world.log(id);
        return log.positionKnown ? OptionalLong.of(log.end - log.position) : OptionalLong.empty();
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        require(pendingCommit == null, "two commits at once");
        requireOwned(offsets.keySet());
        long latencyNanos = random.nextInt(4) == 0 ? random.nextLong(5_000_000_000L) : random.nextInt(3_000_000);
        pendingCommit =
                new Pending(Map.copyOf(offsets), epochs(offsets.keySet()), callback, world.nanoTime() + latencyNanos);
    }

    private Map<TopicPartition, Integer> epochs(Set<TopicPartition> ids) {
        return ids.stream().collect(Collectors.toMap(id -> id, id -> world.log(id).epoch));
    }

    private void requireOwned(Set<TopicPartition> ids) {
        ids.forEach(id -> require(world.log(id).owned, () -> "commits what it does not have: " + id));
    }

    /** Partitions were taken away, or the process is gone. */
    void refuseCommit() {
        answerCommit(new CommitFailedException());
    }

    private void answerCommit(@Nullable Exception failure) {
        Pending answered = pendingCommit;
        if (answered == null) {
            return;
        }
        pendingCommit = null;
        boolean applied =
                failure == null || (failure instanceof RetriableCommitFailedException && random.nextBoolean());
        if (applied) {
            apply(answered.offsets, answered.epochs, failure == null);
        }
        answered.callback.onComplete(answered.offsets, failure);
    }

    private @Nullable Exception drawCommitFailure() {
        return switch (random.nextInt(8)) {
            case 0 -> new RetriableCommitFailedException(new TimeoutException("drawn"));
            case 1 -> new StaleMemberEpochException("drawn");
            case 2 -> new RebalanceInProgressException("drawn");
            case 3 -> {
                if (random.nextInt(200) != 0 || world.bounded) {
                    yield null;
                }
                world.refused = true;
                yield new FencedInstanceIdException("drawn");
            }
            default -> null;
        };
    }

    private void apply(
            Map<TopicPartition, OffsetAndMetadata> offsets, Map<TopicPartition, Integer> epochs, boolean confirmed) {
        offsets.forEach((id, offset) -> {
            SimulatedLog log = world.log(id);
            int epoch = Objects.requireNonNull(epochs.get(id));
            if (world.troubles.forgets(log, offset.offset())) {
                return;
            }
            log.commit(
                    offset.offset(), offset.metadata(), world.troubles.epochOf(offset), epoch, world.commitAhead > 0);
            log.committedUnsure = !confirmed;
            if (!confirmed) {
                // Until it is committed again with an answer, nobody here may see what it is about.
                log.forgiveUnseen();
            } else if (epoch == log.epoch) {
                log.confirmed = offset.offset();
            }
        });
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        if (world.crashed || world.refused) {
            throw new FencedInstanceIdException("gone");
        }
        requireOwned(offsets.keySet());
        throwIfWoken();
        answerCommit(drawCommitFailure());
        if (world.closeRequested && !group.inCallback) {
            if (finalRebalances++ < 3 && random.nextBoolean()) {
                throw new RebalanceInProgressException("drawn");
            }
        } else if (random.nextInt(5) == 0) {
            group.commitRefused = true;
            if (random.nextBoolean()) {
                throw new RebalanceInProgressException("drawn");
            }
            if (world.commitAhead > 0 && random.nextBoolean()) {
                apply(offsets, epochs(offsets.keySet()), false);
            }
            throw new TimeoutException("drawn");
        }
        apply(offsets, epochs(offsets.keySet()), true);
    }

    /** As a coordinator takes it from a member while others have yet to rejoin, or not any more. */
    boolean commitDirectly(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos) {
        requireOwned(offsets.keySet());
        require(pendingCommit == null, "a commit that is under way may come behind this one");
        if (world.crashed || world.refused || random.nextBoolean()) {
            return false;
        }
        apply(offsets, epochs(offsets.keySet()), true);
        return true;
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration timeout) {
        throwIfWoken();
        Set<TopicPartition> untold = Set.of();
        if (random.nextInt(10) == 0) {
            world.pass(timeout.toNanos());
            if (random.nextBoolean()) {
                throw new TimeoutException("drawn");
            }
            // The client of the consumer protocol tells what it has by then, and of the others that there is nothing.
            untold = ids.stream()
                    .sorted(Comparator.comparing(TopicPartition::toString))
                    .filter(id -> random.nextBoolean())
                    .collect(Collectors.toSet());
        }
        group.othersWork();
        Set<TopicPartition> told = new HashSet<>(ids);
        told.removeAll(untold);
        told.stream()
                .map(world::log)
                .filter(log -> log.owned && log.held && log.committed < 0)
                .forEach(log -> log.askStart(world.lookup.hasToldOfEarlierTopic()));
        return commitsOf(told.stream().map(world::log).toList());
    }

    /** What the group has committed of them. */
    static Map<TopicPartition, OffsetAndMetadata> commitsOf(Collection<SimulatedLog> logs) {
        return logs.stream()
                .filter(log -> log.committed >= 0)
                .collect(Collectors.toMap(
                        log -> log.id,
                        log -> new OffsetAndMetadata(
                                log.committed,
                                log.committedLeaderEpoch < 0 ? Optional.empty() : Optional.of(log.committedLeaderEpoch),
                                log.committedText)));
    }
}
