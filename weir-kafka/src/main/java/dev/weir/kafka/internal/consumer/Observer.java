package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.Oldest;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.PartitionSnapshot;
import dev.weir.kafka.Position;
import dev.weir.kafka.internal.buffer.AssignedPartition;
import dev.weir.kafka.internal.buffer.FlowControl;
import dev.weir.kafka.internal.buffer.Outlets;
import dev.weir.kafka.internal.commit.Commits;
import dev.weir.kafka.internal.consumer.Finder.Sought;
import dev.weir.kafka.internal.fetch.Fetcher;
import dev.weir.kafka.internal.lookup.Lookup;
import dev.weir.kafka.internal.lookup.OwnerClock;
import dev.weir.kafka.internal.lookup.Reachability;
import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.kafka.internal.position.OffsetQueries;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a consumer for others. {@link #look} and what it calls belong to the owner thread, what the results are asked
 * by is for any thread.
 */
final class Observer {

    private static final long MIN_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** What a snapshot promises; with thousands of partitions a first look can take half a second, and a hundredfold that. */
    private static final long MAX_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The share of the owner's time that looks may take is one in so many; they cost more the more partitions. */
    private static final int COST_RATIO = 100;

    /** How often the ends of partitions that are not fetched are asked for: the client only learns them by fetching. */
    private static final long END_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Duration END_TIMEOUT = Duration.ofSeconds(30);

    /**
     * What a look has found.
     *
     * @param sought beside each partition its first unfinished record, or null
     * @param assignments how often partitions had come by then
     */
    private record Look(List<PartitionDump> partitions, List<@Nullable Sought> sought, int assignments) {}

    private final ConsumerLoop loop;
    private final Fetcher fetcher;
    private final FlowControl flow;
    private final Outlets outlets;
    private final Lookup lookup;
    private final OwnerClock clock;
    private final String reads;
    private final boolean tracked;
    private final Reachability reachability;

    /** How long the owner may be away before it counts as dead. */
    private final long maxPollNanos;

    /** Set before anybody can ask; a consumer that no pipeline reads has none. */
    private volatile Finder finder = new Finder(() -> List.of());

    // Owner thread.
    private long lookDueNanos;
    private long endLookDueNanos;

    // Written by whoever brings the answers, and cleared by the owner thread.
    private final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();
    private final Set<TopicPartition> endsAsked = ConcurrentHashMap.newKeySet();

    // Written by the owner thread for others.
    private volatile ConsumerSnapshot snapshot = new ConsumerSnapshot(List.of(), 0, 0, 0, 0);
    private volatile Look last = new Look(List.of(), List.of(), 0);
    private volatile long polledNanos;
    private volatile long progressNanos;
    private volatile boolean worksLeft;
    private volatile int assignments;
    private volatile String state = "running";

    Observer(
            ConsumerLoop loop,
            Fetcher fetcher,
            FlowControl flow,
            Outlets outlets,
            Lookup lookup,
            OwnerClock clock,
            String reads,
            boolean tracked,
            Duration maxPollInterval) {
        this.loop = loop;
        this.fetcher = fetcher;
        this.flow = flow;
        this.outlets = outlets;
        this.lookup = lookup;
        this.clock = clock;
        this.reads = reads;
        this.tracked = tracked;
        this.reachability = new Reachability(fetcher::contact, clock);
        this.maxPollNanos = maxPollInterval.toNanos();
        long now = clock.nanoTime();
        this.lookDueNanos = now;
        this.endLookDueNanos = now + END_LOOK_NANOS;
        this.polledNanos = now;
        this.progressNanos = now;
    }

    // ---- Any thread ------------------------------------------------------------------------------------------------

    ConsumerSnapshot snapshot() {
        return snapshot;
    }

    /** Where a dump looks for records that were pulled. */
    void findBy(Finder pipelines) {
        finder = pipelines;
    }

    ConsumerDump dump() {
        ConsumerSnapshot current = snapshot;
        Look look = last;
        List<PartitionDump> partitions = new ArrayList<>(look.partitions.size());
        for (int i = 0; i < look.partitions.size(); i++) {
            partitions.add(finder.found(look.partitions.get(i), look.sought.get(i)));
        }
        return new ConsumerDump(
                Instant.now(),
                reads,
                state,
                Duration.ofNanos(clock.nanoTime() - polledNanos),
                assignments,
                current.rebalances(),
                current.commits(),
                current.failedCommits(),
                List.copyOf(partitions),
                reachability.silentSince());
    }

    ConsumerHealth health(Duration stall) {
        long now = clock.nanoTime();
        List<String> reasons = new ArrayList<>();
        boolean live = !"closed".equals(state) && now - polledNanos < maxPollNanos;
        if (!live) {
            reasons.add(
                    "closed".equals(state) ? "the consumer has ended" : "not polled for " + millis(now - polledNanos));
        }
        Look look = last;
        List<PartitionDump> current = look.partitions;
        List<PartitionDump> starting = current.stream()
                .filter(partition -> partition.paused().contains(Paused.STARTING) || partition.position() < 0)
                .toList();
        // As of the look: partitions that came since have no position in it.
        boolean ready = live && look.assignments > 0 && starting.isEmpty();
        if (look.assignments == 0) {
            reasons.add("no partition was ever assigned");
        } else if (!starting.isEmpty()) {
            reasons.add("no position yet of " + byTrouble(starting));
        }
        Instant silentSince = reachability.silentSince();
        if (silentSince != null) {
            reasons.add(ConsumerHealth.noAnswer(silentSince));
        }
        boolean finishing = !worksLeft || Duration.ofNanos(now - progressNanos).compareTo(stall) < 0;
        if (!finishing) {
            reasons.add("nothing was finished for " + millis(now - progressNanos) + ", waiting for " + oldest(current));
        }
        return new ConsumerHealth(
                live, ready, finishing && silentSince == null, String.join("; ", reasons), silentSince);
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

    /** Counts an assignment; returns its number. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    int assigned() {
        return ++assignments;
    }

    void state(String name) {
        state = name;
    }

    void lookIfDue(Collection<AssignedPartition> assigned, Commits commits, int rebalances) {
        if (clock.nanoTime() - lookDueNanos >= 0) {
            long start = clock.nanoTime();
            look(assigned, commits, rebalances);
            long end = clock.nanoTime();
            lookDueNanos = end + Math.clamp((end - start) * COST_RATIO, MIN_LOOK_NANOS, MAX_LOOK_NANOS);
        }
    }

    void look(Collection<AssignedPartition> assigned, Commits commits, int rebalances) {
        List<PartitionSnapshot> snapshots = new ArrayList<>(assigned.size());
        List<PartitionDump> dumps = new ArrayList<>(assigned.size());
        List<@Nullable Sought> sought = new ArrayList<>(assigned.size());
        reachability.look();
        long now = clock.nanoTime();
        boolean left = false;
        for (AssignedPartition partition : assigned) {
            partition.advance();
            PartitionDump dump = dump(partition, now);
            left |= dump.inFlight() > 0;
            dumps.add(dump);
            sought.add(
                    dump.oldest() == null
                            ? null
                            : new Sought(partition, partition.outlet, partition.tracker.firstUnfinished()));
            snapshots.add(new PartitionSnapshot(
                    dump.topic(),
                    dump.partition(),
                    dump.paused().contains(Paused.WINDOW) || dump.paused().contains(Paused.BUDGET),
                    dump.inFlight() + dump.buffered(),
                    dump.committed(),
                    dump.lag()));
        }
        worksLeft = left;
        last = new Look(dumps, sought, assignments);
        snapshot =
                new ConsumerSnapshot(snapshots, outlets.records(), commits.succeeded(), commits.failed(), rebalances);
        askForEndsIfDue(assigned, now);
    }

    private PartitionDump dump(AssignedPartition partition, long now) {
        int buffered = partition.outlet.records(partition);
        int outstanding = tracked ? partition.tracker.outstanding() : buffered;
        long position = partition.held ? Fetcher.UNKNOWN : fetcher.position(partition.id);
        Oldest oldest = null;
        if (tracked && outstanding > 0) {
            oldest = oldest(partition, now);
        } else if (partition.firstUnfinished >= 0) {
            partition.firstUnfinished = -1;
            progressNanos = now;
        }
        return new PartitionDump(
                partition.id.topic(),
                partition.id.partition(),
                partition.epoch,
                buffered,
                Math.max(0, outstanding - buffered),
                oldest,
                reasons(partition),
                partition.committedOffset,
                partition.committedOffset < 0 ? null : Duration.ofNanos(now - partition.committedNanos),
                position,
                lag(partition, position, outstanding),
                lagTime(partition, lag(partition, position, outstanding)),
                loop.trouble(partition));
    }

    /** By the clock of the machine, as the timestamps are; producers whose clocks are ahead make it 0, not negative. */
    private @Nullable Duration lagTime(AssignedPartition partition, long lag) {
        long timestamp = tracked ? partition.tracker.firstUnfinishedTimestamp() : OffsetTracker.NO_TIMESTAMP;
        if (timestamp >= 0) {
            return Duration.ofMillis(Math.max(0, System.currentTimeMillis() - timestamp));
        }
        return lag == 0 ? Duration.ZERO : null;
    }

    private Oldest oldest(AssignedPartition partition, long now) {
        long offset = partition.tracker.committableOffset();
        if (offset != partition.firstUnfinished) {
            partition.firstUnfinished = offset;
            partition.firstUnfinishedNanos = now;
            progressNanos = now;
        }
        return new Oldest(offset, Duration.ofNanos(now - partition.firstUnfinishedNanos), null, Oldest.IN_FLIGHT);
    }

    private Set<Paused> reasons(AssignedPartition partition) {
        EnumSet<Paused> reasons = EnumSet.noneOf(Paused.class);
        if (loop.pauses().isPaused(partition.id)) {
            reasons.add(Paused.USER);
        }
        if (partition.held || partition.endOffset == AssignedPartition.UNKNOWN) {
            reasons.add(Paused.STARTING);
        } else if (partition.parked) {
            reasons.add(Paused.UNREAD);
        } else if (partition.atEnd) {
            reasons.add(Paused.END);
        } else if (partition.paused) {
            reasons.add(flow.reason(partition));
        }
        if (partition.outlet.isNotDue(partition)) {
            reasons.add(Paused.NOT_DUE);
        }
        return Set.copyOf(reasons);
    }

    private long lag(AssignedPartition partition, long position, int outstanding) {
        long behind = partition.held ? Fetcher.UNKNOWN : fetcher.lag(partition.id);
        Long end = ends.get(partition.id);
        if (end != null && position >= 0 && partition.paused) {
            behind = Math.max(behind, end - position);
        }
        return behind == Fetcher.UNKNOWN ? -1 : behind + outstanding;
    }

    /** The client learns ends by fetching, so it knows nothing new of a partition that is paused. */
    private void askForEndsIfDue(Collection<AssignedPartition> assigned, long now) {
        if (now - endLookDueNanos < 0 || !loop.isEmitting()) {
            return;
        }
        endLookDueNanos = now + END_LOOK_NANOS;
        Set<TopicPartition> paused = new HashSet<>();
        for (AssignedPartition partition : assigned) {
            if (partition.paused && !partition.held && !partition.atEnd) {
                paused.add(partition.id);
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
                            loop.execute(reachability::answered);
                        }
                        endsAsked.remove(id);
                    }));
        }
    }
}
