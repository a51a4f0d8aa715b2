package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.consumer.Plan.Delivery;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides where partitions begin for which the group's committed offset is no answer: because the subscription says
 * otherwise, because there is none, or because what it points at is gone. Confined to the owner thread.
 *
 * <p>Such a partition is held, that is neither fetched nor committed, until the brokers have said which offset is meant;
 * it waits for no other.
 * The client itself never resets an offset: it would do so without a word.
 */
final class Positions {

    private static final Logger LOG = LoggerFactory.getLogger(Positions.class);
    private static final int LOAD_ATTEMPTS = 5;
    private static final long FIRST_LOAD_RETRY_MILLIS = 100;

    /** What {@link ExternalOffsets#load} says. */
    private static final long LOAD_TIMEOUT_SECONDS = 30;

    private final Assignment assignment;
    private final Subscription subscription;
    private final @Nullable ExternalOffsets external;
    private final ConsumerSettings<?, ?> settings;
    private final OffsetQueries queries;
    private final StartSizes sizes;

    /** Null where nothing is committed, or everything before it goes out. */
    private final @Nullable Places places;

    private final Executor owner;

    /** What wait for {@link #external}, and how it went. */
    private final Map<AssignedPartition, String> loading = new HashMap<>();

    /** Creates what asks {@code lookup} and continues on {@code owner}, the owner thread. */
    Positions(
            Assignment assignment,
            Plan plan,
            ConsumerSettings<?, ?> settings,
            Commits commits,
            Lookup lookup,
            Clock clock,
            Executor owner) {
        this.assignment = assignment;
        this.subscription = plan.subscription();
        this.external = plan.external();
        this.settings = settings;
        this.queries = new OffsetQueries(assignment, lookup, clock, owner);
        boolean commitsNothing = plan.delivery() instanceof Delivery.Plain;
        this.sizes = new StartSizes(
                subscription.selection(), commitsNothing ? null : settings.groupId(), lookup, commits.texts(), owner);
        this.places = plan.isCommittable() ? new Places(assignment, commits, owner) : null;
        this.owner = owner;
    }

    /** The run starts: what comes to be after this is read from its beginning. */
    void begin() {
        sizes.begin();
    }

    /** Asks again, and commits where partitions begin, where that is due. */
    void askIfDue() {
        queries.askIfDue();
        if (places != null) {
            places.commitIfDue();
        }
    }

    /** How long {@link #askIfDue} has nothing to do. */
    long nanosUntilDue() {
        return queries.nanosUntilDue();
    }

    /** Why it is not known yet where the partition goes on; null if it is known, or was asked just now. */
    @Nullable
    String trouble(AssignedPartition partition) {
        String trouble = loading.get(partition);
        return trouble == null ? queries.trouble(partition) : trouble;
    }

    /** Partitions have come: those that begin where the subscription says are held from now on. */
    void assigned(Collection<AssignedPartition> partitions) {
        if (external != null) {
            List<AssignedPartition> unplaced =
                    partitions.stream().filter(partition -> !partition.placed).toList();
            assignment.hold(unplaced);
            load(external, unplaced, 1);
        } else if (subscription.selection() instanceof Subscription.Partitions) {
            place(partitions.stream()
                    .filter(partition ->
                            !partition.placed && subscription.start().of(partition.id) != null)
                    .collect(Collectors.toMap(
                            partition -> partition,
                            partition ->
                                    Objects.requireNonNull(subscription.start().of(partition.id)))));
        }
    }

    private void load(ExternalOffsets from, Collection<AssignedPartition> partitions, int attempt) {
        Set<TopicPartition> ids =
                partitions.stream().map(partition -> partition.id).collect(Collectors.toSet());
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
        answer.orTimeout(LOAD_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .minimalCompletionStage()
                .whenComplete((positions, failure) -> owner.execute(() -> {
                    if (failure == null) {
                        loading.keySet().removeAll(partitions);
                        loaded(partitions, positions);
                    } else if (failure instanceof TimeoutException) {
                        asking.interrupt();
                        String late = "no answer of ExternalOffsets.load within " + LOAD_TIMEOUT_SECONDS + " s";
                        loadAgain(from, partitions, attempt, new TimeoutException(late));
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
                    "cannot load the offsets of " + left + ", " + attempt + " times: " + failure, failure);
        }
        loading.keySet().removeAll(partitions);
        left.forEach(partition ->
                loading.put(partition, "ExternalOffsets.load failed, attempt " + attempt + ": " + failure));
        LOG.warn("cannot load the offsets of {}, trying again: {}", left, failure.toString());
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
            Position position = positions.get(partition.id);
            if (position != null) {
                known.put(partition, position);
                continue;
            }
            Position start = start(partition.id);
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

    /** Lets partitions begin of which nobody has a position: at the start, or at their beginning if they were added later. */
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
        sizes.learn(others.keySet().stream().map(partition -> partition.id).toList(), () -> {
            others.keySet().removeIf(partition -> !assignment.isCurrent(partition));
            others.replaceAll((partition, start) -> {
                if (!sizes.isAdded(partition.id)) {
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

    /** Goes on at the offset once that is committed: without, a crash before the first commit would begin somewhere else. */
    private void commitAndRelease(AssignedPartition partition, long offset) {
        if (places == null) {
            assignment.release(partition, offset);
        } else {
            places.add(partition, offset, () -> assignment.release(partition, offset), () -> {});
        }
    }

    /** The client does not know where to go on. */
    void unknown(InvalidOffsetException failure) {
        if (failure instanceof org.apache.kafka.clients.consumer.OffsetOutOfRangeException outOfRange) {
            outOfRange(outOfRange);
            return;
        }
        Map<AssignedPartition, Position> starts = new HashMap<>();
        for (AssignedPartition partition : assignment.current(failure.partitions())) {
            if (partition.held || partition.placed) {
                // The client says so as of a moment ago.
                continue;
            }
            Position start = start(partition.id);
            if (start == null) {
                throw new KafkaPipelineException(
                        "the group has committed nothing of " + partition.id + " and auto.offset.reset is none;"
                                + " commit an offset, say where to start, or set auto.offset.reset to earliest or latest",
                        failure);
            }
            starts.put(partition, start);
        }
        begin(starts);
    }

    private void outOfRange(org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure) {
        // What was read before the gap may be finished or not: its offsets mean nothing any more.
        List<AssignedPartition> held = assignment.current(failure.partitions()).stream()
                .filter(partition -> assignment.isAt(
                        partition, failure.offsetOutOfRangePartitions().getOrDefault(partition.id, 0L)))
                .map(assignment::renew)
                .toList();
        if (held.isEmpty()) {
            return;
        }
        assignment.hold(held);
        for (AssignedPartition partition : held) {
            long wanted =
                    Objects.requireNonNull(failure.offsetOutOfRangePartitions().get(partition.id));
            queries.add(
                    partition,
                    List.of(Position.beginning(), Position.end()),
                    edges -> commitAndRelease(
                            partition,
                            afterOutOfRange(partition.id, wanted, new Edges(edges.get(0), edges.get(1)), failure)),
                    () -> {});
        }
        queries.askIfDue();
    }

    private record Edges(long beginning, long end) {}

    private long afterOutOfRange(TopicPartition id, long wanted, Edges edges, InvalidOffsetException failure) {
        OutOfRangePolicy policy = settings.outOfRange();
        if (policy == OutOfRangePolicy.FAIL) {
            throw new OffsetOutOfRangeException(id, wanted, edges.beginning, edges.end, failure);
        }
        boolean toBeginning =
                policy == OutOfRangePolicy.EARLIEST || (policy == OutOfRangePolicy.NEAREST && wanted < edges.beginning);
        long next = toBeginning ? edges.beginning : edges.end;
        LOG.warn(
                "{}@{} is out of range {} to {}; going on at {} as the policy {} says",
                id,
                wanted,
                edges.beginning,
                edges.end,
                next,
                policy);
        return next;
    }

    /** Holds each partition until it is known which offset is meant. */
    void place(Map<AssignedPartition, Position> positions) {
        place(positions, allPlaced -> {});
    }

    /** The same, telling at the end whether all of them are still assigned. */
    void place(Map<AssignedPartition, Position> positions, Consumer<Boolean> then) {
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
                    assignment.release(partition, offsets.get(0));
                    placing.one(true);
                },
                () -> placing.one(false)));
        queries.askIfDue();
    }

    /** Partitions that are placed together, though each goes on by itself. Confined to the owner thread. */
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
