package dev.weir.kafka.internal.in.owner;

import static dev.weir.kafka.internal.in.owner.SimulatedWorld.require;

import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.kafka.internal.in.owner.SimulatedEvent.Planted;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the events of a simulation's topics at random, and lets the client report them. Its own random generator
 * leaves simulations without events unchanged. Confined to the simulation's thread.
 */
final class SimulatedTroubles {

    /** Longest simulated time to read all records after the last fault. */
    private static final long CALM_NANOS = TimeUnit.MINUTES.toNanos(20);

    private static final int MAX_LOGS = 6;
    private static final int MAX_CUT = 30;
    private static final int ACTS_PER_EVENT = 60;

    private final SimulatedWorld world;
    private final Random random;
    private final Set<SimulatedEvent> known = EnumSet.noneOf(SimulatedEvent.class);
    private final Set<Planted> faults;
    private final Set<SimulatedLog> withoutLeaderForGood = new HashSet<>();

    private int incarnations;
    private long calmSinceNanos;

    SimulatedTroubles(SimulatedWorld world, long seed, Set<SimulatedEvent> allowed, Set<Planted> faults) {
        this.world = world;
        this.faults = faults;
        this.random = new Random(~seed);
        for (SimulatedEvent event : SimulatedEvent.values()) {
            boolean drawn = random.nextInt(SimulatedEvent.ONE_IN) == 0;
            if (drawn && allowed.contains(event) && !world.bounded && world.commitAhead == 0) {
                known.add(event);
            }
        }
        if (known.contains(SimulatedEvent.LEADERLESS)) {
            world.logs.values().stream().filter(log -> random.nextInt(3) == 0).forEach(this::loseLeader);
        }
    }

    OutOfRangePolicy drawPolicy() {
        OutOfRangePolicy[] all = OutOfRangePolicy.values();
        OutOfRangePolicy drawn = all[random.nextInt(all.length)];
        return known.contains(SimulatedEvent.TRUNCATION) || known.contains(SimulatedEvent.RECREATION)
                ? drawn
                : OutOfRangePolicy.FAIL;
    }

    boolean startsAtEnd() {
        return known.contains(SimulatedEvent.LATEST);
    }

    boolean has(Planted fault) {
        return faults.contains(fault);
    }

    int incarnation() {
        return incarnations;
    }

    // ---- What happens ----------------------------------------------------------------------------------------------

    /** Causes a random event now and then. */
    void act() {
        for (SimulatedEvent event : known) {
            if (random.nextInt(ACTS_PER_EVENT) == 0) {
                switch (event) {
                    case TRUNCATION -> truncate();
                    case RECREATION -> recreate();
                    case LATEST -> {
                        if (world.logs.size() < MAX_LOGS && random.nextInt(3) != 0) {
                            world.addLog();
                        } else {
                            world.crashIfItRuns();
                        }
                    }
                    case LEADERLESS -> loseLeader(anyLog());
                }
            }
        }
        if (known.contains(SimulatedEvent.LEADERLESS) && random.nextInt(ACTS_PER_EVENT) == 0) {
            findLeaders();
        }
    }

    private SimulatedLog anyLog() {
        List<SimulatedLog> logs = List.copyOf(world.logs.values());
        return logs.get(random.nextInt(logs.size()));
    }

    private void truncate() {
        SimulatedLog log = anyLog();
        log.truncate(Math.max(0, log.end - random.nextInt(MAX_CUT)));
        log.grow(random, random.nextInt(2 * MAX_CUT));
    }

    private void recreate() {
        incarnations++;
        boolean commitsAreDeleted = random.nextBoolean();
        for (SimulatedLog log : world.logs.values()) {
            log.recreate(incarnations, commitsAreDeleted);
            log.grow(random, random.nextInt(2 * MAX_CUT));
        }
    }

    private void loseLeader(SimulatedLog log) {
        log.leaderless = true;
        if (random.nextInt(2) == 0) {
            withoutLeaderForGood.add(log);
        }
    }

    private void findLeaders() {
        world.logs.values().forEach(log -> log.leaderless = withoutLeaderForGood.contains(log));
    }

    /** Lets other members start partitions without a commit, and commit their start positions. */
    void othersBegin(Collection<TopicPartition> ours) {
        if (!startsAtEnd()) {
            return;
        }
        for (SimulatedLog log : world.logs.values()) {
            if (!log.owned && log.committed < 0 && !ours.contains(log.id)) {
                int place = log.added ? 0 : log.end;
                log.forgetPlace();
                log.requireSamePlace(place);
                log.finished.set(0, place);
                log.commit(place, "", SimulatedElections.UNKNOWN, log.epoch, false);
            }
        }
    }

    /** Decides at random whether the commit has the epoch of the last record read, as some clients store no epoch. */
    int epochOthersCommit(SimulatedLog log, int offset) {
        return random.nextBoolean() ? log.elections.epochAt(offset - 1) : SimulatedElections.UNKNOWN;
    }

    // ---- What the client does --------------------------------------------------------------------------------------

    boolean hinders(SimulatedLog log) {
        return log.leaderless || log.isSeenToBeGone() || isOutOfRange(log);
    }

    private static boolean isOutOfRange(SimulatedLog log) {
        return !log.held && log.placed && log.position > log.end;
    }

    /** Returns whether a user may seek: the consumer has determined the partition's start. */
    boolean isSettled(SimulatedLog log) {
        return !log.doubtful && !log.startAsked && log.placed;
    }

    /** Throws, at a random time, what a poll would report about lost positions. */
    void throwInPoll() {
        if (known.isEmpty()) {
            return;
        }
        Map<TopicPartition, Long> outOfRange = new HashMap<>();
        for (SimulatedLog log : world.logs.values()) {
            boolean settled = log.owned && !log.held && !log.seekAsked;
            if (settled && !log.leaderless && random.nextInt(4) == 0) {
                find(log, outOfRange);
            }
        }
        if (!outOfRange.isEmpty()) {
            throw new OffsetOutOfRangeException(outOfRange);
        }
    }

    /**
     * Throws if the client can tell that the records at the position are gone. Adds the position if it is out of range.
     */
    private void find(SimulatedLog log, Map<TopicPartition, Long> outOfRange) {
        if (log.isSeenToBeGone()) {
            if (!has(Planted.SWALLOWED_TRUNCATION)) {
                throw truncation(log);
            }
        } else if (isOutOfRange(log) && !log.paused) {
            outOfRange.put(log.id, log.position);
        }
    }

    private static LogTruncationException truncation(SimulatedLog log) {
        return new LogTruncationException(
                Map.of(log.id, log.position),
                Map.of(
                        log.id,
                        new OffsetAndMetadata(
                                log.elections.endOf(log.positionEpoch), Optional.of(log.positionEpoch), "")));
    }

    /** Returns whether a planted fault loses this commit. */
    boolean forgets(SimulatedLog log, long offset) {
        boolean place = log.held || offset == log.start;
        return has(Planted.FORGOTTEN_PLACE) && startsAtEnd() && log.committed < 0 && place;
    }

    int epochOf(OffsetAndMetadata commit) {
        return has(Planted.COMMITS_WITHOUT_EPOCH)
                ? SimulatedElections.UNKNOWN
                : commit.leaderEpoch().orElse(SimulatedElections.UNKNOWN);
    }

    // ---- How it ends -----------------------------------------------------------------------------------------------

    /** Returns whether the run has failed because of a lost position, as its policy requires. */
    boolean isLossNoticed() {
        return !world.refused && !known.isEmpty() && world.outOfRange == OutOfRangePolicy.FAIL && lost() != null;
    }

    private @Nullable TopicPartition lost() {
        return switch (world.context.failure) {
            case dev.weir.kafka.OffsetOutOfRangeException loss -> new TopicPartition(loss.topic(), loss.partition());
            case RecreatedTopicException loss -> new TopicPartition(loss.topic(), loss.partition());
            case null, default -> null;
        };
    }

    /** Simulates an operator who commits another offset for the failed partition. */
    void setByHand() {
        SimulatedLog log = world.log(Objects.requireNonNull(lost()));
        require(log.wasCut(), () -> "failed, though nothing was lost: " + world.context.failure);
        log.setByHand();
    }

    /** Ends all temporary faults and events. */
    void calmDown() {
        findLeaders();
        calmSinceNanos = world.nanoTime();
    }

    /** Returns whether all available records are read. Fails if that takes too long. */
    boolean isThrough() {
        if (known.isEmpty() || world.closeRequested || world.abandoned) {
            return true;
        }
        for (SimulatedLog log : world.logs.values()) {
            boolean read = !log.held && log.position >= log.end && log.firstUnfinished() >= log.end;
            if (log.owned && !log.leaderless && !read) {
                require(
                        world.nanoTime() - calmSinceNanos < CALM_NANOS,
                        () -> log.id + "@" + log.firstUnfinished() + " is never read: position " + log.position + " of "
                                + log.end + ", committed " + log.committed + (log.held ? ", place not known" : "")
                                + (log.doubtful ? ", position lost" : "") + ", policy " + world.outOfRange);
                return false;
            }
        }
        return true;
    }
}
