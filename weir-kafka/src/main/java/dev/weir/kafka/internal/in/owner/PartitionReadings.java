package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerSnapshot.PartitionSnapshot;
import dev.weir.kafka.Position;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.commit.DeliveryCommits;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.lookup.Reachability;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.meters.DecodeTime;
import dev.weir.kafka.spi.Lookup;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots of single partitions: buffered and unfinished records, lag and pauses. Confined to the owner thread,
 * except for {@link #silentSince} and {@link #decodeTime}.
 */
final class PartitionReadings {

    private static final long END_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Duration END_TIMEOUT = Duration.ofSeconds(30);

    /**
     * The state of one partition. Converted into an object for users only on request.
     *
     * @param unfinished the number of unfinished records, including the buffered ones
     * @param oldestOffset the first unfinished offset; -1 if there is none
     * @param lagMillis the age of the first unfinished record by its timestamp; -1 if unknown
     */
    record PartitionReading(
            TopicPartition id,
            int epoch,
            int buffered,
            int unfinished,
            long oldestOffset,
            long oldestNanos,
            Set<Paused> paused,
            long committed,
            long sinceCommitNanos,
            long position,
            long lag,
            long lagMillis,
            @Nullable String trouble,
            long windowFullNanos,
            long budgetFullNanos) {

        int inFlight() {
            return Math.max(0, unfinished - buffered);
        }

        boolean hasOldest() {
            return oldestOffset >= 0;
        }

        PartitionDump dump() {
            return PartitionDump.builder()
                    .topic(id.topic())
                    .partition(id.partition())
                    .epoch(epoch)
                    .buffered(buffered)
                    .inFlight(inFlight())
                    .oldest(
                            hasOldest()
                                    ? Oldest.of(oldestOffset, Duration.ofNanos(oldestNanos), null, Oldest.IN_FLIGHT)
                                    : null)
                    .paused(paused)
                    .committed(committed)
                    .sinceCommit(committed < 0 ? null : Duration.ofNanos(sinceCommitNanos))
                    .position(position)
                    .lag(lag)
                    .lagTime(lagMillis < 0 ? null : Duration.ofMillis(lagMillis))
                    .trouble(trouble)
                    .windowFull(Duration.ofNanos(windowFullNanos))
                    .budgetFull(Duration.ofNanos(budgetFullNanos))
                    .build();
        }

        PartitionSnapshot snapshot() {
            return PartitionSnapshot.of(
                    id.topic(),
                    id.partition(),
                    paused.contains(Paused.WINDOW) || paused.contains(Paused.BUDGET),
                    inFlight() + buffered,
                    committed,
                    lag);
        }
    }

    private final OwnerThread owner;
    private final RecordFetcher fetcher;
    private final FlowControl flow;
    private final PausedPartitions pauses;
    private final Lookup lookup;
    private final boolean tracked;
    private final DeliveryCommits delivery;
    private final Function<AssignedPartition, @Nullable String> trouble;
    private final OpenTransactions transactions;
    private final Reachability reachability;

    /** The reasons why one partition is paused. Reused. */
    private final EnumSet<Paused> reasons = EnumSet.noneOf(Paused.class);

    private long endLookDueNanos;
    private long progressNanos;

    // Written by the threads that process responses, cleared by the owner thread.
    private final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();
    private final Set<TopicPartition> endsAsked = ConcurrentHashMap.newKeySet();

    /**
     * Creates an object that has not taken any snapshots.
     *
     * @param lookup queries the end offsets of paused partitions
     * @param delivery knows the records that wait for a commit
     * @param trouble returns the reason why a partition is not read, or null
     * @param transactions finds partitions that open transactions block
     */
    PartitionReadings(
            OwnerThread owner,
            RecordFetcher fetcher,
            FlowControl flow,
            PausedPartitions pauses,
            Lookup lookup,
            OwnerClock clock,
            boolean tracked,
            DeliveryCommits delivery,
            Function<AssignedPartition, @Nullable String> trouble,
            OpenTransactions transactions) {
        this.owner = owner;
        this.fetcher = fetcher;
        this.flow = flow;
        this.pauses = pauses;
        this.lookup = lookup;
        this.tracked = tracked;
        this.delivery = delivery;
        this.trouble = trouble;
        this.transactions = transactions;
        this.reachability = new Reachability(fetcher::contact, clock);
        this.progressNanos = clock.nanoTime();
        this.endLookDueNanos = progressNanos + END_LOOK_NANOS;
    }

    /**
     * Returns the time of the last response if brokers have stopped responding; otherwise null. Any thread may call
     * this method.
     */
    @Nullable
    Instant silentSince() {
        return reachability.silentSince();
    }

    long progressNanos() {
        return progressNanos;
    }

    /** Returns the time that decoders have spent on the fetch threads. May be called from any thread. */
    DecodeTime decodeTime() {
        return fetcher.decodeTime();
    }

    long throttledNanos() {
        return fetcher.throttledNanos();
    }

    void begin(long now) {
        reachability.look();
        transactions.lookIfDue(now);
    }

    /** Returns the number of fetched records that were not pulled, including records that wait for a commit. */
    private int buffered(AssignedPartition partition) {
        return partition.outlet().records(partition) + delivery.waitingRecords(partition);
    }

    PartitionReading read(AssignedPartition partition, long now) {
        int buffered = buffered(partition);
        int outstanding = tracked ? partition.tracker().outstanding() : buffered;
        long position = partition.isHeld() ? RecordFetcher.UNKNOWN : fetcher.position(partition.id());
        long lag = lag(partition, position, outstanding);
        String heldUp = transactions.trouble(partition, now);
        long oldestOffset = -1;
        long oldestNanos = 0;
        if (tracked && outstanding > 0) {
            oldestOffset = partition.tracker().committableOffset();
            long since = partition.unfinishedSince(oldestOffset, now);
            oldestNanos = now - since;
            progressNanos = since == now ? now : progressNanos;
        } else if (partition.allFinished()) {
            progressNanos = now;
        }
        return new PartitionReading(
                partition.id(),
                partition.epoch(),
                buffered,
                outstanding,
                oldestOffset,
                oldestNanos,
                reasons(partition, heldUp != null),
                partition.committedOffset(),
                now - partition.committedNanos(),
                position,
                lag,
                lagMillis(partition, lag),
                heldUp == null ? trouble.apply(partition) : heldUp,
                partition.stoodStillNanos(false, now),
                partition.stoodStillNanos(true, now));
    }

    /**
     * Returns the age of the first unfinished record by this machine's clock; zero if there is no lag, -1 if unknown.
     * Never negative, even if the producer's clock is ahead.
     */
    private long lagMillis(AssignedPartition partition, long lag) {
        long timestamp = tracked ? partition.tracker().firstUnfinishedTimestamp() : OffsetTracker.NO_TIMESTAMP;
        if (timestamp >= 0) {
            return Math.max(0, System.currentTimeMillis() - timestamp);
        }
        return lag == 0 ? 0 : -1;
    }

    private Set<Paused> reasons(AssignedPartition partition, boolean heldUp) {
        reasons.clear();
        if (heldUp) {
            reasons.add(Paused.OPEN_TRANSACTION);
        }
        if (pauses.isPaused(partition.id())) {
            reasons.add(Paused.USER);
        }
        if (partition.isHeld() || partition.endOffset() == AssignedPartition.UNKNOWN) {
            reasons.add(Paused.STARTING);
        } else if (partition.isPausedFor(PauseReason.UNREAD)) {
            reasons.add(Paused.UNREAD);
        } else if (partition.isPausedFor(PauseReason.END)) {
            reasons.add(Paused.END);
        } else if (partition.isPaused()) {
            reasons.add(flow.reason(partition));
        }
        if (partition.outlet().isNotDue(partition)) {
            reasons.add(Paused.NOT_DUE);
        }
        return Set.copyOf(reasons);
    }

    private long lag(AssignedPartition partition, long position, int outstanding) {
        long behind = partition.isHeld() ? RecordFetcher.UNKNOWN : fetcher.lag(partition.id());
        Long end = ends.get(partition.id());
        if (end != null && position >= 0 && partition.isPaused()) {
            behind = Math.max(behind, end - position);
        }
        return behind == RecordFetcher.UNKNOWN ? -1 : behind + outstanding;
    }

    /** Queries the end offsets of paused partitions. The client learns end offsets only from fetches. */
    void askForEndsIfDue(Collection<AssignedPartition> assigned, long now) {
        if (now - endLookDueNanos < 0 || !owner.isEmitting()) {
            return;
        }
        endLookDueNanos = now + END_LOOK_NANOS;
        Set<TopicPartition> paused = new HashSet<>();
        for (AssignedPartition partition : assigned) {
            if (partition.isPaused() && !partition.isHeld() && !partition.isPausedFor(PauseReason.END)) {
                paused.add(partition.id());
            }
        }
        ends.keySet().retainAll(paused);
        if (paused.isEmpty()) {
            return;
        }
        Map<TopicPartition, Position> wanted = new HashMap<>();
        paused.stream().filter(endsAsked::add).forEach(id -> wanted.put(id, Position.end()));
        if (!wanted.isEmpty()) {
            lookup.offsets(wanted, END_TIMEOUT)
                    .forEach((id, answer) -> answer.whenComplete((end, failure) -> {
                        if (end != null) {
                            ends.put(id, end);
                            owner.execute(reachability::answered);
                        }
                        endsAsked.remove(id);
                    }));
        }
    }
}
