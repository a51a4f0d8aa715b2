package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
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

    private final Assignment assignment;
    private final Subscription subscription;
    private final @Nullable ExternalOffsets external;
    private final ConsumerSettings<?, ?> settings;
    private final TopicIds topicIds;
    private final OffsetQueries queries;
    private final Executor owner;
    private final Openings openings;
    private final LostPositions lost;

    /**
     * Creates what asks {@code lookup} and continues on {@code owner}, the owner thread.
     *
     * @param wake called when {@link #askIfDue} has something to do
     */
    Positions(
            Assignment assignment,
            Plan plan,
            ConsumerSettings<?, ?> settings,
            Commits commits,
            Lookup lookup,
            Clock clock,
            Executor owner,
            Runnable wake) {
        this.assignment = assignment;
        this.subscription = plan.subscription();
        this.external = plan.external();
        this.settings = settings;
        this.topicIds = new TopicIds(assignment, lookup, clock, owner, this::madeAnew);
        this.queries = new OffsetQueries(assignment, lookup, clock, owner, topicIds);
        this.owner = owner;
        this.openings = new Openings(assignment, commits, clock, topicIds, wake, this::uncommitted);
        this.lost = new LostPositions(assignment, settings.outOfRange(), subscription.isBounded(), topicIds, queries);
    }

    /** Asks, or asks again, where that is due. Blocks for a moment at most. Outside of a poll. */
    void askIfDue() {
        openings.askIfDue();
        topicIds.askIfDue();
        queries.askIfDue();
    }

    /** How long {@link #askIfDue} has nothing to do. */
    long nanosUntilDue() {
        return Math.min(
                openings.nanosUntilDue(), Math.min(topicIds.nanosUntilDue(), queries.nanosUntilDue()));
    }

    /** Why it is not known yet where the partition goes on; null if it is known, or was asked just now. */
    @Nullable
    String trouble(AssignedPartition partition) {
        String trouble = topicIds.trouble(partition);
        return trouble == null ? queries.trouble(partition) : trouble;
    }

    /** Partitions have come: they are held from now on, unless somebody has said already where they begin. */
    void assigned(Collection<AssignedPartition> partitions) {
        for (AssignedPartition partition : partitions) {
            if (partition.placed) {
                topicIds.identify(partition, () -> {});
            }
        }
        if (external != null) {
            List<AssignedPartition> unplaced =
                    partitions.stream().filter(partition -> !partition.placed).toList();
            assignment.hold(unplaced);
            load(external, unplaced, 1);
            return;
        }
        Map<AssignedPartition, Position> given = new HashMap<>();
        List<AssignedPartition> others = new ArrayList<>();
        for (AssignedPartition partition : partitions) {
            Position start = subscription.selection() instanceof Subscription.Partitions
                    ? subscription.start().of(partition.id)
                    : null;
            if (start != null && !partition.placed) {
                given.put(partition, start);
            } else if (!partition.placed) {
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
            lost.outOfRange(outOfRange);
            return;
        }
        uncommitted(assignment.current(failure.partitions()).stream()
                // The client says so as of a moment ago.
                .filter(partition -> !partition.held && !partition.placed)
                .toList());
    }

    /** Lets partitions begin of which there is no commit. */
    private void uncommitted(List<AssignedPartition> partitions) {
        Map<AssignedPartition, Position> starts = new HashMap<>();
        for (AssignedPartition partition : partitions) {
            Position start = subscription.start().of(partition.id);
            if (start == null) {
                start = settings.startWithoutCommit();
            }
            if (topicIds.wasMadeAnew(partition.id.topic())) {
                // The brokers delete commits with their topic; what is in the new one came while the old one was read.
                start = Position.beginning();
            }
            if (start == null) {
                throw new KafkaPipelineException(
                        "the group has committed nothing of " + partition.id + " and auto.offset.reset is none;"
                                + " commit an offset, say where to start, or set auto.offset.reset to earliest or latest");
            }
            starts.put(partition, start);
        }
        place(starts);
    }

    private void madeAnew(AssignedPartition partition, Uuid now) {
        lost.madeAnew(partition, now);
    }

    /** A record was read that cannot be of the log that was read before. */
    void ofAnotherLog(AssignedPartition partition, ConsumerRecord<?, ?> record) {
        lost.ofAnotherLog(partition, record);
    }

    TopicIds topicIds() {
        return topicIds;
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
                    assignment.release(partition, LogPosition.at(offsets.get(0)));
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
