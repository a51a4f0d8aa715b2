package dev.weir.kafka.internal.in.owner;

import static dev.weir.kafka.internal.in.owner.SimulatedWorld.require;

import dev.weir.simulation.GroupConsumer;
import dev.weir.simulation.GroupPartition;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The consumer's client and group in a {@link SimulatedWorld}. Each poll advances the simulation. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // everything here runs on one thread
final class SimulatedClient extends GroupConsumer {

    private static final int MAX_IDLE_SPINS = 20;

    /**
     * A commit in flight.
     *
     * @param epochs the partitions' epochs when the commit was sent
     */
    private record Pending(
            Map<TopicPartition, OffsetAndMetadata> offsets,
            Map<TopicPartition, Integer> epochs,
            OffsetCommitCallback callback,
            long answerNanos) {}

    private final SimulatedWorld world;

    private @Nullable Pending pendingCommit;

    /** True if the last poll included a rebalance. */
    boolean rebalancedInPoll;

    private boolean commitRefused;

    private int spins;
    private int finalRebalances;

    SimulatedClient(SimulatedWorld world) {
        super(world.random);
        this.world = world;
    }

    /** Replaces a dead process with a new one. */
    @Override
    public void restart() {
        refuseCommit();
        super.restart();
        owned().forEach(id -> world.log(id).release());
    }

    @Override
    protected Collection<SimulatedLog> partitions() {
        return world.logs.values();
    }

    @Override
    protected SimulatedLog partition(TopicPartition id) {
        return world.log(id);
    }

    @Override
    protected boolean isCrashed() {
        return world.crashed;
    }

    // ---- The group -------------------------------------------------------------------------------------------------

    /** Other members read and commit the partitions that this member does not have. */
    void othersWork() {
        for (SimulatedLog log : world.logs.values()) {
            if (!log.owned && log.committed < log.end && random.nextBoolean()) {
                log.goOnElsewhere();
                int from = (int) Math.max(0, log.committed);
                int to = from + random.nextInt(log.end - from + 1);
                log.finished.set(from, to);
                log.seen.set(from, to);
                log.commit(to, "", world.troubles.epochOthersCommit(log, to), log.epoch, world.commitAhead > 0);
            }
        }
    }

    @Override
    protected boolean isExpelled() {
        rebalancedInPoll = true;
        return random.nextInt(6) == 0;
    }

    @Override
    protected void revoke(ConsumerRebalanceListener callback, Collection<TopicPartition> ids) {
        commitRefused = false;
        long startNanos = world.nanoTime();
        callback.onPartitionsRevoked(ids);
        boolean isCommitted = !commitRefused && !world.refused;
        if (isCommitted && world.commitAhead == 0) {
            ids.forEach(id -> world.log(id).requireFinishedIsCommitted());
        }
        if (world.commitAhead > 0) {
            boolean late = world.closeRequested || world.nanoTime() - startNanos >= world.revokeDeadlineNanos();
            ids.forEach(id -> world.log(id).requireSeen(late));
            if (isCommitted) {
                ids.forEach(id -> world.log(id).requirePlaceIsCommitted());
            }
        }
    }

    @Override
    protected void released(Collection<TopicPartition> ids, boolean lost) {
        if (lost) {
            // Another member may have the partitions now, so records committed ahead are dropped.
            ids.forEach(id -> world.log(id).forgiveUnseen());
        }
        super.released(ids, lost);
        refuseCommit();
    }

    @Override
    protected void assigning(List<TopicPartition> target) {
        world.troubles.othersBegin(target);
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        throwIfWoken();
        rebalancedInPoll = false;
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
        if (records.isEmpty() && !hasAdvanced()) {
            sleep(timeout);
        } else {
            // A real client also returns from a poll that only advanced past invisible records.
            spins = 0;
        }
        return records;
    }

    private void sleep(Duration timeout) {
        if (timeout.isZero()) {
            require(++spins < MAX_IDLE_SPINS, () -> "polls without waiting though nothing happens");
            return;
        }
        spins = 0;
        throwIfWoken();
        world.requireReasonToSleep(finalRebalances > 0);
        world.passAtMost(timeout.toNanos());
        throwIfWoken();
    }

    @Override
    protected boolean hinders(GroupPartition partition) {
        return world.troubles.hinders(world.log(partition.id));
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
    public void resume(Collection<TopicPartition> ids) {
        require(!world.stopped || !world.pipeline().ended, () -> "resumed after the end: " + ids);
        super.resume(ids);
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        require(pendingCommit == null, () -> "two commits at once");
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

    /** Refuses the commit in flight after a revocation or a crash. */
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
                // The records must wait until their offsets are committed again.
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
        if (world.closeRequested && !isInCallback()) {
            if (finalRebalances++ < 3 && random.nextBoolean()) {
                throw new RebalanceInProgressException("drawn");
            }
        } else if (random.nextInt(5) == 0) {
            commitRefused = true;
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

    /** Simulates a direct commit. The coordinator may accept it while others have yet to rejoin. */
    boolean commitDirectly(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos) {
        requireOwned(offsets.keySet());
        require(pendingCommit == null, () -> "a commit that is under way may come behind this one");
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
            // With the consumer protocol, a partial response leaves the missing offsets uncommitted.
            untold = ids.stream()
                    .sorted(Comparator.comparing(TopicPartition::toString))
                    .filter(id -> random.nextBoolean())
                    .collect(Collectors.toSet());
        }
        othersWork();
        Set<TopicPartition> told = new HashSet<>(ids);
        told.removeAll(untold);
        told.stream()
                .map(world::log)
                .filter(log -> log.owned && log.held && log.committed < 0)
                .forEach(log -> log.askStart(world.lookup.hasToldOfEarlierTopic()));
        return commitsOf(told.stream().map(world::log).toList());
    }

    /** Returns the group's commits. */
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
