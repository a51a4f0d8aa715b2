package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
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
 * Takes snapshots of single partitions: their buffered and unfinished records, their lag, and the reasons and durations
 * of their pauses. Confined to the owner thread, except for {@link #silentSince} and {@link #decodeTime}.
 */
final class PartitionReadings {

    /** Interval between queries for the end offsets of paused partitions; see {@link #askForEndsIfDue}. */
    private static final long END_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Duration END_TIMEOUT = Duration.ofSeconds(30);

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

    private long endLookDueNanos;
    private long progressNanos;

    // Written by the threads that process responses, cleared by the owner thread.
    private final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();
    private final Set<TopicPartition> endsAsked = ConcurrentHashMap.newKeySet();

    /**
     * Creates an object that has not taken any snapshots.
     *
     * @param lookup queries the end offsets of paused partitions
     * @param delivery returns the number of records that cannot be emitted until they are committed
     * @param trouble returns the reason why a partition is not read, or null
     * @param transactions returns the partitions blocked by open transactions
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

    /** Returns the time of the last snapshot that showed progress. */
    long progressNanos() {
        return progressNanos;
    }

    /** Returns the time that decoders have spent on the fetch threads. May be called from any thread. */
    DecodeTime decodeTime() {
        return fetcher.decodeTime();
    }

    /** Returns how long brokers have throttled fetches in total. */
    long throttledNanos() {
        return fetcher.throttledNanos();
    }

    /** Prepares for snapshots of all partitions. */
    void begin(long now) {
        reachability.look();
        transactions.lookIfDue(now);
    }

    /**
     * Returns the number of records that were fetched but not pulled. With at-most-once delivery, this includes records
     * that cannot be emitted until their offsets are committed.
     */
    private int buffered(AssignedPartition partition) {
        return partition.outlet().records(partition) + delivery.waitingRecords(partition);
    }

    PartitionDump dump(AssignedPartition partition, long now) {
        int buffered = buffered(partition);
        int outstanding = tracked ? partition.tracker().outstanding() : buffered;
        long position = partition.isHeld() ? RecordFetcher.UNKNOWN : fetcher.position(partition.id());
        long lag = lag(partition, position, outstanding);
        String heldUp = transactions.trouble(partition, now);
        Oldest oldest = null;
        if (tracked && outstanding > 0) {
            oldest = oldest(partition, now);
        } else if (partition.allFinished()) {
            progressNanos = now;
        }
        return PartitionDump.builder()
                .topic(partition.id().topic())
                .partition(partition.id().partition())
                .epoch(partition.epoch())
                .buffered(buffered)
                .inFlight(Math.max(0, outstanding - buffered))
                .oldest(oldest)
                .paused(reasons(partition, heldUp != null))
                .committed(partition.committedOffset())
                .sinceCommit(
                        partition.committedOffset() < 0 ? null : Duration.ofNanos(now - partition.committedNanos()))
                .position(position)
                .lag(lag)
                .lagTime(lagTime(partition, lag))
                .trouble(heldUp == null ? trouble.apply(partition) : heldUp)
                .windowFull(Duration.ofNanos(partition.stoodStillNanos(false, now)))
                .budgetFull(Duration.ofNanos(partition.stoodStillNanos(true, now)))
                .build();
    }

    /**
     * Returns the age of the first unfinished record according to this machine's wall clock, or zero if there is no
     * lag. If the producer's clock is ahead, the age is zero rather than negative. Returns null if the age is unknown.
     */
    private @Nullable Duration lagTime(AssignedPartition partition, long lag) {
        long timestamp = tracked ? partition.tracker().firstUnfinishedTimestamp() : OffsetTracker.NO_TIMESTAMP;
        if (timestamp >= 0) {
            return Duration.ofMillis(Math.max(0, System.currentTimeMillis() - timestamp));
        }
        return lag == 0 ? Duration.ZERO : null;
    }

    private Oldest oldest(AssignedPartition partition, long now) {
        long offset = partition.tracker().committableOffset();
        long since = partition.unfinishedSince(offset, now);
        progressNanos = since == now ? now : progressNanos;
        return Oldest.of(offset, Duration.ofNanos(now - since), null, Oldest.IN_FLIGHT);
    }

    private Set<Paused> reasons(AssignedPartition partition, boolean heldUp) {
        EnumSet<Paused> reasons = EnumSet.noneOf(Paused.class);
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

    /**
     * Queries the end offsets of paused partitions. The client learns end offsets only from fetches, and paused
     * partitions are not fetched.
     */
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
