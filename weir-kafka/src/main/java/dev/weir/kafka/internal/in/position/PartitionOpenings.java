package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;

/**
 * Opens assigned partitions at their committed offsets. Records after the committed offset are skipped if they are
 * already finished. Partitions are neither fetched nor committed until the group's coordinator and the brokers have
 * responded. Confined to the owner thread.
 */
final class PartitionOpenings {

    private static final ConsumerLog LOG = ConsumerLog.of(PartitionOpenings.class);

    /** Timeout of a query, which blocks the owner thread. A failed query is repeated. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Maximum timeout of a query. Slow brokers increase the timeout up to this value. */
    private static final long MOST_ANSWER_NANOS = 16 * ANSWER_NANOS;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final PartitionAssignment assignment;
    private final OffsetCommits commits;
    private final OwnerClock clock;
    private final TopicIds topicIds;
    private final Runnable wake;
    private final Consumer<List<AssignedPartition>> onUncommitted;

    /** Partitions whose committed offsets are not known yet. */
    private final Set<AssignedPartition> asked = new LinkedHashSet<>();

    /** Partitions for which a single response has reported no committed offset. */
    private final Set<AssignedPartition> doubted = new HashSet<>();

    private long answerNanos = ANSWER_NANOS;
    private long dueNanos;

    /**
     * Creates an object without any partitions.
     *
     * @param wake called when {@link #askIfDue} has something to do
     * @param onUncommitted called with held partitions that have no committed offset
     */
    PartitionOpenings(
            PartitionAssignment assignment,
            OffsetCommits commits,
            OwnerClock clock,
            TopicIds topicIds,
            Runnable wake,
            Consumer<List<AssignedPartition>> onUncommitted) {
        this.assignment = assignment;
        this.commits = commits;
        this.clock = clock;
        this.topicIds = topicIds;
        this.wake = wake;
        this.onUncommitted = onUncommitted;
    }

    /** Holds the partitions until their committed positions are confirmed. Called within a poll. */
    void open(Collection<AssignedPartition> partitions) {
        assignment.hold(partitions);
        asked.addAll(partitions);
        dueNanos = clock.nanoTime();
        wake.run();
    }

    long nanosUntilDue() {
        return asked.isEmpty() ? Long.MAX_VALUE : Math.max(0, dueNanos - clock.nanoTime());
    }

    /**
     * Queries the committed offsets of held partitions. Blocks briefly. Must not be called within a poll.
     *
     * @throws KafkaException on a permanent failure
     */
    void askIfDue() {
        if (asked.isEmpty()) {
            return;
        }
        asked.removeIf(partition -> !assignment.isCurrent(partition) || !partition.isHeld());
        doubted.retainAll(asked);
        if (asked.isEmpty() || clock.nanoTime() - dueNanos < 0) {
            return;
        }
        Set<TopicPartition> ids = ids(asked);
        long askedNanos = clock.nanoTime();
        Map<TopicPartition, OffsetAndMetadata> committed;
        try {
            committed = commits.committed(ids, answerNanos);
        } catch (KafkaException failure) {
            if (isPermanent(failure)) {
                throw failure;
            }
            askLater(ids, failure.toString());
            return;
        }
        boolean isLate = clock.nanoTime() - askedNanos > answerNanos / 2;
        Map<AssignedPartition, OffsetAndMetadata> known = new HashMap<>();
        List<AssignedPartition> uncommitted = new ArrayList<>();
        for (AssignedPartition partition : asked) {
            OffsetAndMetadata commit = committed.get(partition.id());
            if (commit != null) {
                known.put(partition, commit);
            } else if (!isLate && !doubted.add(partition)) {
                uncommitted.add(partition);
            }
        }
        asked.removeAll(known.keySet());
        uncommitted.forEach(asked::remove);
        doubted.retainAll(asked);
        known.forEach(this::goOn);
        if (asked.isEmpty()) {
            answerNanos = ANSWER_NANOS;
        } else {
            askAgain(isLate);
        }
        if (!uncommitted.isEmpty()) {
            onUncommitted.accept(uncommitted);
        }
    }

    /** Returns whether later queries will also fail. */
    static boolean isPermanent(KafkaException failure) {
        return failure instanceof AuthorizationException
                || failure instanceof AuthenticationException
                || failure instanceof FencedInstanceIdException;
    }

    /**
     * Queries again before partitions start without a committed offset. A client of the KIP-848 protocol may wrongly
     * report none.
     */
    private void askAgain(boolean wasLate) {
        if (wasLate) {
            askLater(ids(asked), "no answer within " + TimeUnit.NANOSECONDS.toMillis(answerNanos / 2) + " ms");
            answerNanos = Math.min(2 * answerNanos, MOST_ANSWER_NANOS);
        } else {
            dueNanos = clock.nanoTime();
            wake.run();
        }
    }

    private void askLater(Set<TopicPartition> ids, String why) {
        LOG.warn("{} wait to begin: what the group has committed is not known yet: {}", ids, why);
        dueNanos = clock.nanoTime() + RETRY_NANOS;
    }

    private static Set<TopicPartition> ids(Collection<AssignedPartition> partitions) {
        return partitions.stream().map(partition -> partition.id()).collect(Collectors.toSet());
    }

    private void goOn(AssignedPartition partition, OffsetAndMetadata commit) {
        LogPosition place = LogPosition.of(commit);
        partition.epochs().beginAt(place);
        partition.open(commits.texts().topicId(commit));
        topicIds.identify(partition, () -> {
            if (partition.isOpening()) {
                partition.skip(commits.texts().finishedPast(partition.id(), commit));
                assignment.goOn(partition, place);
            }
        });
    }
}
