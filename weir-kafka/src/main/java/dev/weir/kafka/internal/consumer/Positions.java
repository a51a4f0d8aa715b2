package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Decides where partitions begin for which the group's committed offset is no answer: because the subscription says
 * otherwise, because there is none, or because what it points at is gone. Confined to the owner thread.
 *
 * <p>Such a partition is held, that is neither fetched nor committed, until the brokers have said which offset is meant.
 * The client itself never resets an offset: it would do so without a word.
 */
final class Positions {

    private static final ConsumerLog LOG = ConsumerLog.of(Positions.class);
    private static final long RETRY_MILLIS = 500;
    private static final int LOAD_ATTEMPTS = 5;
    private static final long FIRST_LOAD_RETRY_MILLIS = 100;

    private final Assignment assignment;
    private final Subscription subscription;
    private final @Nullable ExternalOffsets external;
    private final ConsumerSettings<?, ?> settings;
    private final Lookup lookup;
    private final Executor owner;

    /** Creates what asks {@code lookup} and continues on {@code owner}, the owner thread. */
    Positions(Assignment assignment, Plan plan, ConsumerSettings<?, ?> settings, Lookup lookup, Executor owner) {
        this.assignment = assignment;
        this.subscription = plan.subscription();
        this.external = plan.external();
        this.settings = settings;
        this.lookup = lookup;
        this.owner = owner;
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
        CompletableFuture<Map<TopicPartition, Position>> answer = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
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
        answer.minimalCompletionStage()
                .whenComplete((positions, failure) -> owner.execute(() -> {
                    if (failure == null) {
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
                    "cannot load the offsets of " + left + ", " + attempt + " times: " + failure, failure);
        }
        LOG.warn("cannot load the offsets of {}, trying again: {}", left, failure.toString());
        CompletableFuture.delayedExecutor(FIRST_LOAD_RETRY_MILLIS << attempt, TimeUnit.MILLISECONDS)
                .execute(() -> owner.execute(() -> load(from, left, attempt + 1)));
    }

    private void loaded(Collection<AssignedPartition> partitions, Map<TopicPartition, Position> positions) {
        Map<AssignedPartition, Position> known = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            if (!assignment.isCurrent(partition)) {
                continue;
            }
            Position position = positions.get(partition.id);
            if (position == null) {
                position = subscription.start().of(partition.id);
            }
            if (position == null) {
                position = settings.startWithoutCommit();
            }
            if (position == null) {
                throw new KafkaPipelineException("no offset was loaded for " + partition
                        + ", the subscription has no start for it, and auto.offset.reset is none");
            }
            known.put(partition, position);
        }
        place(known);
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
            Position start = subscription.start().of(partition.id);
            if (start == null) {
                start = settings.startWithoutCommit();
            }
            if (start == null) {
                throw new KafkaPipelineException(
                        "the group has committed nothing of " + partition.id + " and auto.offset.reset is none;"
                                + " commit an offset, say where to start, or set auto.offset.reset to earliest or latest",
                        failure);
            }
            starts.put(partition, start);
        }
        place(starts);
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
        List<TopicPartition> ids = held.stream().map(partition -> partition.id).toList();
        askUntilAnswered(() -> edges(ids), edges -> {
            for (AssignedPartition partition : held) {
                if (assignment.isCurrent(partition)) {
                    long wanted = Objects.requireNonNull(
                            failure.offsetOutOfRangePartitions().get(partition.id));
                    Edges range = Objects.requireNonNull(edges.get(partition.id));
                    assignment.release(partition, afterOutOfRange(partition.id, wanted, range, failure));
                }
            }
        });
    }

    private record Edges(long beginning, long end) {}

    private CompletionStage<Map<TopicPartition, Edges>> edges(Collection<TopicPartition> ids) {
        CompletionStage<Map<TopicPartition, Long>> ends = lookup.offsets(all(ids, Position.end()));
        return lookup.offsets(all(ids, Position.beginning()))
                .thenCombine(
                        ends,
                        (beginning, end) -> ids.stream()
                                .collect(Collectors.toMap(id -> id, id -> new Edges(at(beginning, id), at(end, id)))));
    }

    private static Map<TopicPartition, Position> all(Collection<TopicPartition> ids, Position position) {
        return ids.stream().collect(Collectors.toMap(id -> id, id -> position));
    }

    private static long at(Map<TopicPartition, Long> offsets, TopicPartition id) {
        return offsets.getOrDefault(id, 0L);
    }

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

    /** Holds partitions until it is known which offsets are meant. */
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
        Map<TopicPartition, Position> wanted = new HashMap<>();
        positions.forEach((partition, position) -> wanted.put(partition.id, position));
        askUntilAnswered(() -> lookup.offsets(wanted), offsets -> {
            boolean all = true;
            for (AssignedPartition partition : positions.keySet()) {
                if (assignment.isCurrent(partition)) {
                    assignment.release(partition, at(offsets, partition.id));
                } else {
                    all = false;
                }
            }
            then.accept(all);
        });
    }

    /** Asks again for as long as the brokers do not answer; what fails for good fails the run. */
    private <A> void askUntilAnswered(Supplier<CompletionStage<A>> question, Consumer<A> then) {
        question.get()
                .whenComplete((answer, failure) -> owner.execute(() -> {
                    if (failure == null) {
                        then.accept(answer);
                    } else {
                        retry(question, then, failure);
                    }
                }));
    }

    private <A> void retry(Supplier<CompletionStage<A>> question, Consumer<A> then, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!(cause instanceof RetriableException)) {
            throw new KafkaPipelineException(
                    "cannot find out where to start " + subscription.selection() + ": " + cause.getMessage(), cause);
        }
        LOG.warn("cannot yet find out where to start, trying again: {}", cause.toString());
        CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS)
                .execute(() -> owner.execute(() -> askUntilAnswered(question, then)));
    }
}
