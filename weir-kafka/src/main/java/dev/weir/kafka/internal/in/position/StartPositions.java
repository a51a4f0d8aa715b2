package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.DeliveryCommits;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.commit.StartCommits;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.Thrown;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Decides where partitions start if they do not start at their committed offset. Confined to the owner thread.
 *
 * <p>Such a partition is held (neither fetched nor committed) until the brokers have resolved its offset.
 */
public final class StartPositions {

    private static final ConsumerLog LOG = ConsumerLog.of(StartPositions.class);
    private static final int LOAD_ATTEMPTS = 5;
    private static final long FIRST_LOAD_RETRY_MILLIS = 100;

    /** The timeout documented in {@link ExternalOffsets#load}. */
    private static final long LOAD_TIMEOUT_SECONDS = 30;

    private final PartitionAssignment assignment;
    private final Subscription subscription;
    private final @Nullable ExternalOffsets external;
    private final ConsumerSettings<?, ?> settings;
    private final TopicIds topicIds;
    private final OffsetQueries queries;
    private final StartSizes sizes;

    /** Commits start positions; null if they are not committed in advance. */
    private final @Nullable StartCommits places;

    private final OwnerThread owner;
    private final PartitionOpenings openings;
    private final LostPositions lost;

    /** Partitions that wait for {@link #external}, with the state of the query. */
    private final Map<AssignedPartition, String> loading = new HashMap<>();

    /**
     * Creates an object without any partitions.
     *
     * @param owner the owner thread, which processes responses; woken when {@link #askIfDue} has something to do
     * @param delivery determines whether start positions are committed; receives the names of recreated topics
     */
    public StartPositions(
            PartitionAssignment assignment,
            ConsumerPlan plan,
            ConsumerSettings<?, ?> settings,
            OffsetCommits commits,
            Lookup lookup,
            OwnerClock clock,
            OwnerThread owner,
            DeliveryCommits delivery) {
        this.assignment = assignment;
        this.subscription = plan.subscription();
        this.external = plan.external();
        this.settings = settings;
        this.topicIds = new TopicIds(assignment, lookup, clock, owner, this::recreated, delivery::topicRecreated);
        this.queries = new OffsetQueries(assignment, lookup, clock, owner, topicIds);
        String group = plan.delivery().commits() ? settings.groupId() : null;
        this.sizes = new StartSizes(subscription.selection(), group, lookup, commits.texts(), owner);
        this.places = delivery.commitsStarts() ? new StartCommits(assignment, commits, owner) : null;
        this.owner = owner;
        this.openings = new PartitionOpenings(assignment, commits, clock, topicIds, owner::wake, this::uncommitted);
        this.lost = new LostPositions(
                assignment, settings.outOfRange(), subscription.isBounded(), topicIds, queries, this::commitAndRelease);
    }

    /** Queries which partitions exist at the start of the run. Partitions added later are read from their beginning. */
    public void begin() {
        sizes.begin();
    }

    /** Sends due queries and commits of start positions. Blocks only briefly. Must not be called within a poll. */
    public void askIfDue() {
        openings.askIfDue();
        topicIds.askIfDue();
        queries.askIfDue();
        if (places != null) {
            places.commitIfDue();
        }
    }

    /** Returns the time until {@link #askIfDue} must be called again. */
    public long nanosUntilDue() {
        long least = Math.min(openings.nanosUntilDue(), Math.min(topicIds.nanosUntilDue(), queries.nanosUntilDue()));
        return places == null ? least : Math.min(least, places.nanosUntilDue());
    }

    /** Returns the reason why the partition's position is unknown; null if it is known or no query has failed. */
    @Nullable
    public String trouble(AssignedPartition partition) {
        String trouble = loading.get(partition);
        trouble = trouble == null ? topicIds.trouble(partition) : trouble;
        return trouble == null ? queries.trouble(partition) : trouble;
    }

    /** Holds newly assigned partitions, unless their start position is already set. */
    public void assigned(Collection<AssignedPartition> partitions) {
        for (AssignedPartition partition : partitions) {
            if (partition.isPlaced()) {
                topicIds.identify(partition, () -> {});
            }
        }
        if (external != null) {
            List<AssignedPartition> unplaced = partitions.stream()
                    .filter(partition -> !partition.isPlaced())
                    .toList();
            assignment.hold(unplaced);
            load(external, unplaced, 1);
            return;
        }
        Map<AssignedPartition, Position> given = new HashMap<>();
        List<AssignedPartition> others = new ArrayList<>();
        for (AssignedPartition partition : partitions) {
            Position start = subscription.selection() instanceof Subscription.Partitions
                    ? subscription.start().of(partition.id())
                    : null;
            if (start != null && !partition.isPlaced()) {
                given.put(partition, start);
            } else if (!partition.isPlaced()) {
                others.add(partition);
            }
        }
        place(given);
        if (settings.groupId() != null) {
            openings.open(others);
        } else {
            uncommitted(others);
        }
    }

    private void load(ExternalOffsets from, Collection<AssignedPartition> partitions, int attempt) {
        Set<TopicPartition> ids =
                partitions.stream().map(partition -> partition.id()).collect(Collectors.toSet());
        if (ids.isEmpty()) {
            return;
        }
        partitions.forEach(
                partition -> loading.put(partition, "ExternalOffsets.load has not answered yet, attempt " + attempt));
        CompletableFuture<Map<TopicPartition, Position>> answer = new CompletableFuture<>();
        Thread asking = Thread.startVirtualThread(() -> {
            try {
                from.load(ids).whenComplete((positions, failure) -> {
                    if (failure == null) {
                        answer.complete(positions);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                });
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        });
        CompletableFuture.delayedExecutor(LOAD_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .execute(() -> {
                    String late = "no answer of ExternalOffsets.load within " + LOAD_TIMEOUT_SECONDS + " s";
                    if (answer.completeExceptionally(new TimeoutException(late))) {
                        asking.interrupt();
                    }
                });
        // A stage derived from `answer` would wrap the failure and call its toString(), which may throw.
        var ignored = answer.whenComplete((positions, failure) -> owner.execute(() -> {
            if (failure == null) {
                loading.keySet().removeAll(partitions);
                loaded(partitions, positions);
            } else {
                loadAgain(from, partitions, attempt, failure);
            }
        }));
    }

    private void loadAgain(
            ExternalOffsets from, Collection<AssignedPartition> partitions, int attempt, Throwable failure) {
        List<AssignedPartition> left =
                partitions.stream().filter(assignment::isCurrent).toList();
        if (attempt == LOAD_ATTEMPTS && !left.isEmpty()) {
            throw new KafkaPipelineException(
                    "cannot load the offsets of " + left + ", " + attempt + " times: " + Thrown.text(failure), failure);
        }
        loading.keySet().removeAll(partitions);
        left.forEach(partition -> loading.put(
                partition, "ExternalOffsets.load failed, attempt " + attempt + ": " + Thrown.text(failure)));
        LOG.warn("cannot load the offsets of {}, trying again: {}", left, Thrown.text(failure));
        CompletableFuture.delayedExecutor(FIRST_LOAD_RETRY_MILLIS << attempt, TimeUnit.MILLISECONDS)
                .execute(() -> owner.execute(() -> load(from, left, attempt + 1)));
    }

    private void loaded(Collection<AssignedPartition> partitions, Map<TopicPartition, Position> positions) {
        Map<AssignedPartition, Position> known = new HashMap<>();
        Map<AssignedPartition, Position> starts = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            if (!assignment.isCurrent(partition)) {
                continue;
            }
            Position position = positions.get(partition.id());
            if (position != null) {
                known.put(partition, position);
                continue;
            }
            Position start = start(partition.id());
            if (start == null) {
                throw new KafkaPipelineException("no offset was loaded for " + partition
                        + ", the subscription has no start for it, and auto.offset.reset is none");
            }
            starts.put(partition, start);
        }
        place(known);
        begin(starts);
    }

    private @Nullable Position start(TopicPartition id) {
        Position start = subscription.start().of(id);
        return start == null ? settings.startWithoutCommit() : start;
    }

    /**
     * Starts partitions at the given positions, or at the beginning if they were added after the group began to read
     * the topic.
     */
    private void begin(Map<AssignedPartition, Position> starts) {
        Map<AssignedPartition, Position> others = new HashMap<>(starts);
        others.values().removeIf(Position.beginning()::equals);
        Map<AssignedPartition, Position> beginnings = new HashMap<>(starts);
        beginnings.keySet().removeAll(others.keySet());
        place(beginnings);
        if (others.isEmpty()) {
            return;
        }
        assignment.hold(others.keySet());
        sizes.learn(others.keySet().stream().map(partition -> partition.id()).toList(), () -> {
            others.keySet().removeIf(partition -> !assignment.isCurrent(partition));
            others.replaceAll((partition, start) -> {
                if (!sizes.isAdded(partition.id())) {
                    return start;
                }
                LOG.info("{} was added after the reading of its topic began: it is read from its beginning", partition);
                return Position.beginning();
            });
            others.forEach((partition, position) -> queries.add(
                    partition, List.of(position), offsets -> commitAndRelease(partition, offsets.get(0)), () -> {}));
            queries.askIfDue();
        });
    }

    /** Commits the offset and then continues there. */
    private void commitAndRelease(AssignedPartition partition, long offset) {
        if (places == null) {
            assignment.release(partition, LogPosition.at(offset));
        } else {
            places.add(partition, offset, () -> assignment.release(partition, LogPosition.at(offset)));
        }
    }

    /** Handles a poll that failed because the client has no valid position for some partitions. */
    public void unknown(InvalidOffsetException failure) {
        if (failure instanceof org.apache.kafka.clients.consumer.OffsetOutOfRangeException outOfRange) {
            lost.outOfRange(outOfRange);
            return;
        }
        uncommitted(assignment.current(failure.partitions()).stream()
                // Ignore partitions whose position was set after the client's report.
                .filter(partition -> !partition.isHeld() && !partition.isPlaced())
                .toList());
    }

    /**
     * Starts partitions without a committed offset. Brokers delete committed offsets together with their topic, so this
     * first checks whether a known topic was recreated.
     */
    private void uncommitted(List<AssignedPartition> partitions) {
        List<AssignedPartition> others = new ArrayList<>();
        for (AssignedPartition partition : partitions) {
            if (topicIds.isKnown(partition.id().topic())
                    && !Position.beginning().equals(startWithoutCommit(partition.id()))) {
                assignment.hold(List.of(partition));
                topicIds.identifyAgain(partition, 2, () -> beginWithoutCommit(List.of(partition)));
            } else {
                others.add(partition);
            }
        }
        beginWithoutCommit(others);
    }

    private void beginWithoutCommit(List<AssignedPartition> partitions) {
        Map<AssignedPartition, Position> starts = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            Position start = startWithoutCommit(partition.id());
            if (start == null) {
                throw new KafkaPipelineException(
                        "the group has committed nothing of " + partition.id() + " and auto.offset.reset is none;"
                                + " commit an offset, say where to start, or set auto.offset.reset to earliest or latest");
            }
            starts.put(partition, start);
        }
        begin(starts);
    }

    private @Nullable Position startWithoutCommit(TopicPartition id) {
        // Records may have arrived in the recreated topic while the consumer was reading the deleted one.
        return topicIds.wasRecreated(id.topic()) ? Position.beginning() : start(id);
    }

    private void recreated(AssignedPartition partition, Uuid now) {
        lost.recreated(partition, now);
    }

    /** Handles a record that belongs to another log. */
    public void ofAnotherLog(AssignedPartition partition, Fetched record) {
        lost.ofAnotherLog(partition, record);
    }

    /** Handles a partition whose log does not contain its position. Called before anything is fetched. */
    void outOfRange(AssignedPartition partition, long position) {
        lost.outOfRange(
                new org.apache.kafka.clients.consumer.OffsetOutOfRangeException(Map.of(partition.id(), position)));
    }

    /**
     * Handles a log that was truncated before the partition's position. Called before anything is fetched.
     *
     * @param divergent the first offset that differs; negative if unknown
     */
    void truncated(AssignedPartition partition, long position, long divergent) {
        lost.outOfRange(new LogTruncationException(
                "the log was truncated",
                Map.of(partition.id(), position),
                divergent < 0 ? Map.of() : Map.of(partition.id(), new OffsetAndMetadata(divergent))));
    }

    TopicIds topicIds() {
        return topicIds;
    }

    /** Makes partitions continue at the given positions. Each partition is held until its offset is resolved. */
    public void place(Map<AssignedPartition, Position> positions) {
        place(positions, allPlaced -> {});
    }

    /**
     * Makes partitions continue at the given positions. Calls {@code then} with true once all of them do. Calls it with
     * false if one is revoked or moved elsewhere first.
     */
    public void place(Map<AssignedPartition, Position> positions, Consumer<Boolean> then) {
        if (positions.isEmpty()) {
            then.accept(true);
            return;
        }
        assignment.hold(positions.keySet());
        Placing placing = new Placing(positions.size(), then);
        positions.forEach((partition, position) -> queries.add(
                partition,
                List.of(position),
                offsets -> {
                    assignment.release(partition, LogPosition.at(offsets.get(0)));
                    placing.one(true);
                },
                () -> placing.one(false)));
        queries.askIfDue();
    }

    /** Waits for all partitions of a call to {@link #place(Map, Consumer)}. Confined to the owner thread. */
    private static final class Placing {

        private final Consumer<Boolean> then;
        private int left;
        private boolean all = true;

        Placing(int partitions, Consumer<Boolean> then) {
            this.left = partitions;
            this.then = then;
        }

        void one(boolean placed) {
            all &= placed;
            if (--left == 0) {
                then.accept(all);
            }
        }
    }
}
