package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.owner.PartitionReadings.PartitionReading;
import dev.weir.kafka.internal.in.owner.UnfinishedFinder.Sought;
import dev.weir.kafka.internal.in.position.OffsetQueries;
import dev.weir.kafka.internal.meters.DecodeTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Takes snapshots and dumps of a consumer. Any thread may read them; {@link #look} belongs to the owner thread. */
final class ConsumerObserver {

    private static final long MIN_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Maximum age of a snapshot. */
    private static final long MAX_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Minimum interval between readings, as a multiple of the last reading's duration. Readings take at most one
     * hundredth of the owner thread's time.
     */
    private static final int COST_RATIO = 100;

    /**
     * The state of the consumer at the time of a reading.
     *
     * @param dropped the records dropped so far
     * @param sought the first unfinished record of each partition, or null
     * @param assignments number of assignments so far
     * @param throttledNanos total time for which brokers have throttled the consumer's fetches
     */
    private record Look(
            List<PartitionReading> partitions,
            List<@Nullable Sought> sought,
            int assignments,
            long throttledNanos,
            int buffered,
            long commits,
            long failedCommits,
            int rebalances,
            List<RecordRange> dropped) {

        List<PartitionDump> dumps() {
            return partitions.stream().map(PartitionReading::dump).toList();
        }

        ConsumerSnapshot snapshot() {
            return ConsumerSnapshot.of(
                    partitions.stream().map(PartitionReading::snapshot).toList(),
                    buffered,
                    commits,
                    failedCommits,
                    rebalances);
        }
    }

    private final OwnerThread owner;
    private final PartitionAssignment assignment;
    private final OffsetCommits commits;
    private final PartitionReadings looks;
    private final OwnerClock clock;
    private final String reads;
    private final UnfinishedFinder finder;
    private final DecodeTime decodeTime;

    private final RunLog runLog = new RunLog();

    private final long maxPollNanos;

    // Confined to the owner thread.
    private long lookedNanos;
    private long minAgeNanos;
    private int rebalances;

    // Written by the owner thread, read by any thread.
    private volatile long outstandingBytes;
    private volatile Look last = new Look(List.of(), List.of(), 0, 0, 0, 0, 0, 0, List.of());
    private volatile long polledNanos;
    private volatile long progressNanos;
    private volatile boolean worksLeft;
    private volatile int assignments;

    /** True if a snapshot was requested since the last reading. The next reading is then due earlier. */
    private volatile boolean asked = true;

    /**
     * Creates an observer.
     *
     * @param reads description of the subscription
     * @param finder locates records that the pipeline has pulled
     * @param maxPollInterval time without a poll after which the owner thread counts as dead
     */
    ConsumerObserver(
            OwnerThread owner,
            PartitionAssignment assignment,
            OffsetCommits commits,
            PartitionReadings looks,
            OwnerClock clock,
            String reads,
            UnfinishedFinder finder,
            Duration maxPollInterval) {
        this.owner = owner;
        this.assignment = assignment;
        this.commits = commits;
        this.looks = looks;
        this.clock = clock;
        this.reads = reads;
        this.finder = finder;
        this.decodeTime = looks.decodeTime();
        this.maxPollNanos = maxPollInterval.toNanos();
        long now = clock.nanoTime();
        this.lookedNanos = now - MAX_LOOK_NANOS;
        this.polledNanos = now;
        this.progressNanos = now;
    }

    RunLog runLog() {
        return runLog;
    }

    // ---- Any thread ------------------------------------------------------------------------------------------------

    ConsumerSnapshot snapshot() {
        asked = true;
        Look look = last;
        DroppedRecords dropped = assignment.dropped();
        // Stages may finish or drop records after the last reading.
        return owner.phase() == ConsumerPhase.CLOSED
                ? look.snapshot().with(dropped.dropped(true), dropped.skipped(), dropped.leftUndone())
                : look.snapshot().with(look.dropped, dropped.skipped(), 0);
    }

    /** Returns the weight of the unfinished records at the last reading. May be called from any thread. */
    long outstandingBytes() {
        asked = true;
        return outstandingBytes;
    }

    /** Returns a dump without the locations of the oldest records. */
    ConsumerDump outline() {
        Look look = last;
        return dump(look, look.dumps());
    }

    ConsumerDump dump() {
        Look look = last;
        List<PartitionDump> partitions = new ArrayList<>(look.partitions.size());
        for (int i = 0; i < look.partitions.size(); i++) {
            partitions.add(finder.found(look.partitions.get(i).dump(), look.sought.get(i)));
        }
        return dump(look, partitions);
    }

    private ConsumerDump dump(Look look, List<PartitionDump> partitions) {
        asked = true;
        return ConsumerDump.builder()
                .at(Instant.now())
                .reads(reads)
                .state(owner.phase().label())
                .sinceLastPoll(Duration.ofNanos(clock.nanoTime() - polledNanos))
                .assignments(assignments)
                .rebalances(look.rebalances)
                .commits(look.commits)
                .failedCommits(look.failedCommits)
                .partitions(List.copyOf(partitions))
                .noAnswerSince(looks.silentSince())
                .troubles(finder.troubles())
                .throttledNanos(look.throttledNanos)
                .decodeNanos(decodeTime.nanos())
                .decodeThreads(decodeTime.threads())
                .build();
    }

    ConsumerHealth health(Duration stall) {
        asked = true;
        long now = clock.nanoTime();
        List<String> reasons = new ArrayList<>();
        boolean closed = owner.phase() == ConsumerPhase.CLOSED;
        boolean live = !closed && now - polledNanos < maxPollNanos;
        if (!live) {
            reasons.add(closed ? "the consumer has ended" : "not polled for " + millis(now - polledNanos));
        }
        Look look = last;
        List<PartitionDump> current = look.dumps();
        List<PartitionDump> starting = current.stream()
                .filter(partition -> partition.paused().contains(Paused.STARTING) || partition.position() < 0)
                .toList();
        // Use the reading's own number of assignments: the reading does not contain partitions assigned later.
        boolean ready = live && look.assignments > 0 && starting.isEmpty();
        if (look.assignments == 0) {
            reasons.add("no partition was ever assigned");
        } else if (!starting.isEmpty()) {
            reasons.add("no position yet of " + byTrouble(starting));
        }
        Instant silentSince = looks.silentSince();
        if (silentSince != null) {
            reasons.add(ConsumerHealth.noAnswer(silentSince));
        }
        List<String> troubles = finder.troubles();
        reasons.addAll(troubles);
        boolean finishing = !worksLeft || Duration.ofNanos(now - progressNanos).compareTo(stall) < 0;
        if (!finishing) {
            reasons.add("nothing was finished for " + millis(now - progressNanos) + ", waiting for " + oldest(current));
        }
        return ConsumerHealth.of(
                live,
                ready,
                finishing && silentSince == null && troubles.isEmpty(),
                String.join("; ", reasons),
                silentSince);
    }

    private static String byTrouble(List<PartitionDump> starting) {
        Map<String, List<TopicPartition>> ids = new LinkedHashMap<>();
        for (PartitionDump partition : starting) {
            String trouble = partition.trouble();
            ids.computeIfAbsent(trouble == null ? "" : ": " + trouble, each -> new ArrayList<>())
                    .add(new TopicPartition(partition.topic(), partition.partition()));
        }
        List<String> sentences = new ArrayList<>();
        ids.forEach((trouble, several) -> sentences.add(OffsetQueries.names(several) + trouble));
        return String.join(", of ", sentences);
    }

    private static String millis(long nanos) {
        return nanos / 1_000_000 + " ms";
    }

    private static List<String> oldest(List<PartitionDump> partitions) {
        List<String> oldest = new ArrayList<>();
        for (PartitionDump partition : partitions) {
            Oldest first = partition.oldest();
            if (first != null) {
                oldest.add(partition.topic() + "-" + partition.partition() + "@" + first.offset());
            }
        }
        return oldest;
    }

    // ---- Owner thread ----------------------------------------------------------------------------------------------

    void polled() {
        polledNanos = clock.nanoTime();
    }

    /** Counts an assignment and returns its number. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written by the owner thread only
    int assigned() {
        return ++assignments;
    }

    void rebalanced() {
        rebalances++;
    }

    void lookIfDue() {
        long start = clock.nanoTime();
        if (start - lookedNanos >= (asked ? minAgeNanos : MAX_LOOK_NANOS)) {
            asked = false;
            look();
            lookedNanos = clock.nanoTime();
            minAgeNanos = Math.clamp((lookedNanos - start) * COST_RATIO, MIN_LOOK_NANOS, MAX_LOOK_NANOS);
        }
    }

    void look() {
        Collection<AssignedPartition> assigned = assignment.all();
        List<PartitionReading> readings = new ArrayList<>(assigned.size());
        List<@Nullable Sought> sought = new ArrayList<>(assigned.size());
        long now = clock.nanoTime();
        looks.begin(now);
        boolean left = false;
        int buffered = 0;
        long bytes = 0;
        for (AssignedPartition partition : assigned) {
            partition.advance();
            bytes += partition.tracker().outstandingBytes();
            PartitionReading reading = looks.read(partition, now);
            left |= reading.inFlight() > 0;
            buffered += reading.buffered();
            readings.add(reading);
            sought.add(
                    reading.hasOldest()
                            ? new Sought(
                                    partition,
                                    partition.outlet(),
                                    partition.tracker().firstUnfinished())
                            : null);
        }
        outstandingBytes = bytes;
        progressNanos = looks.progressNanos();
        worksLeft = left;
        last = new Look(
                readings,
                sought,
                assignments,
                looks.throttledNanos(),
                buffered,
                commits.succeeded(),
                commits.failed(),
                rebalances,
                assignment.dropped().dropped(false));
        looks.askForEndsIfDue(assigned, now);
    }
}
