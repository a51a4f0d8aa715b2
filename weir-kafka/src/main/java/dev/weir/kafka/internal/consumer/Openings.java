package dev.weir.kafka.internal.consumer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
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
 * Lets partitions that have come go on where the group has committed: at the offset, with its leader epoch, in the topic that
 * it was committed of, without what is finished past it. They are held until the group's coordinator and the brokers have
 * said so. Confined to the owner thread.
 */
final class Openings {

    private static final ConsumerLog LOG = ConsumerLog.of(Openings.class);

    /** How long the other partitions wait for an answer, which may come to the next try. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Assignment assignment;
    private final Commits commits;
    private final Clock clock;
    private final TopicIds topicIds;
    private final Runnable wake;
    private final Consumer<List<AssignedPartition>> onUncommitted;

    /** Of which it is not known what the group has committed. */
    private final Set<AssignedPartition> asked = new LinkedHashSet<>();

    private long dueNanos;

    /**
     * Creates what has nothing to open.
     *
     * @param wake called when {@link #askIfDue} has something to do
     * @param onUncommitted called with partitions, held, of which the group has committed nothing
     */
    Openings(
            Assignment assignment,
            Commits commits,
            Clock clock,
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

    /** Holds the partitions until they can go on. Within a poll. */
    void open(Collection<AssignedPartition> partitions) {
        assignment.hold(partitions);
        asked.addAll(partitions);
        dueNanos = clock.nanoTime();
        wake.run();
    }

    /** How long {@link #askIfDue} has nothing to do. */
    long nanosUntilDue() {
        return asked.isEmpty() ? Long.MAX_VALUE : Math.max(0, dueNanos - clock.nanoTime());
    }

    /**
     * Asks for the commits of those that are held for them. Blocks for a moment. Outside of a poll.
     *
     * @throws KafkaException if nobody will ever answer
     */
    void askIfDue() {
        if (asked.isEmpty()) {
            return;
        }
        asked.removeIf(partition -> !assignment.isCurrent(partition) || !partition.held);
        if (asked.isEmpty() || clock.nanoTime() - dueNanos < 0) {
            return;
        }
        Set<TopicPartition> ids = asked.stream().map(partition -> partition.id).collect(Collectors.toSet());
        Map<TopicPartition, OffsetAndMetadata> committed;
        try {
            committed = commits.committed(ids, ANSWER_NANOS);
        } catch (KafkaException failure) {
            if (failure instanceof AuthorizationException
                    || failure instanceof AuthenticationException
                    || failure instanceof FencedInstanceIdException) {
                throw failure;
            }
            LOG.warn("{} wait to begin: what the group has committed is not known yet: {}", ids, failure.toString());
            dueNanos = clock.nanoTime() + RETRY_NANOS;
            return;
        }
        List<AssignedPartition> uncommitted = new ArrayList<>();
        Map<AssignedPartition, OffsetAndMetadata> known = new HashMap<>();
        for (AssignedPartition partition : asked) {
            OffsetAndMetadata commit = committed.get(partition.id);
            if (commit == null) {
                uncommitted.add(partition);
            } else {
                known.put(partition, commit);
            }
        }
        asked.clear();
        known.forEach(this::goOn);
        if (!uncommitted.isEmpty()) {
            onUncommitted.accept(uncommitted);
        }
    }

    private void goOn(AssignedPartition partition, OffsetAndMetadata commit) {
        LogPosition place = LogPosition.of(commit);
        partition.topicId = commits.texts().topicId(commit);
        partition.epochs.beginAt(place);
        partition.opening = true;
        topicIds.identify(partition, () -> {
            if (partition.opening) {
                partition.opening = false;
                partition.finishedEarlier = commits.texts().finishedPast(partition.id, commit);
                assignment.goOn(partition, place);
            }
        });
    }
}
