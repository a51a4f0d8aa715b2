package dev.weir.kafka.internal.consumer;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a read that has an end. Confined to the owner thread. */
final class BoundedRead {

    /** How often a member that has no partition asks how far the group is, and how long it waits for the answer. */
    private static final Duration GROUP_LOOK = Duration.ofSeconds(1);

    /** How long an end waits for the answer that its topics still are the same ones. */
    private static final Duration MAX_DOUBT = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(BoundedRead.class);

    private final Plan plan;
    private final Consumer<?, ?> client;
    private final Fetcher fetcher;
    private final Clock clock;
    private final Assignment assignment;
    private final Emission emission;
    private final TopicIds topicIds;

    private long groupLookDueNanos;

    /** Until when an end waits for the answer whether its topics still are the same. */
    private long sureByNanos;

    BoundedRead(
            Plan plan,
            Consumer<?, ?> client,
            Fetcher fetcher,
            Clock clock,
            Assignment assignment,
            Emission emission,
            TopicIds topicIds) {
        this.plan = plan;
        this.client = client;
        this.fetcher = fetcher;
        this.clock = clock;
        this.assignment = assignment;
        this.emission = emission;
        this.topicIds = topicIds;
        this.groupLookDueNanos = clock.nanoTime();
    }

    /**
     * Ends emission once every assigned partition is at its end; what is buffered still goes out. Without partitions it
     * stands by for those who have them, and ends when the group is through.
     */
    void endWhenAllRead() {
        boolean all = !assignment.all().isEmpty() || isGroupThrough();
        for (AssignedPartition partition : assignment.all()) {
            if (!partition.atEnd && !partition.held && isReadToEnd(partition)) {
                partition.atEnd = true;
                assignment.pause(partition);
                emission.readTo(partition, Math.min(fetcher.position(partition.id), partition.firstDropped));
            }
            all &= partition.atEnd;
        }
        if (all && !emission.holdsBack() && isSure()) {
            emission.end();
        }
    }

    /** Whether what was read to its end is still the log of which that was looked up; asks the brokers once more. */
    private boolean isSure() {
        boolean sure = true;
        for (AssignedPartition partition : assignment.all()) {
            if (!partition.endDoubted) {
                partition.endDoubted = true;
                sureByNanos = clock.nanoTime() + MAX_DOUBT.toNanos();
                topicIds.identifyAnew(partition, 1, () -> partition.endIsSure = true);
            }
            sure &= partition.endIsSure;
        }
        if (!sure && clock.nanoTime() - sureByNanos >= 0) {
            LOG.warn("ends without an answer whether the topics of {} still are the same ones", assignment.ids());
            return true;
        }
        return sure;
    }

    private boolean isGroupThrough() {
        if (clock.nanoTime() - groupLookDueNanos < 0) {
            return false;
        }
        try {
            Map<TopicPartition, OffsetAndMetadata> committed =
                    client.committed(plan.endOffsets().keySet(), GROUP_LOOK);
            return plan.endOffsets().entrySet().stream().allMatch(end -> {
                OffsetAndMetadata offset = committed.get(end.getKey());
                return (offset == null ? 0 : offset.offset()) >= end.getValue();
            });
        } catch (RetriableException | WakeupException notNow) {
            return false;
        } finally {
            groupLookDueNanos = clock.nanoTime() + GROUP_LOOK.toNanos();
        }
    }

    private boolean isReadToEnd(AssignedPartition partition) {
        return fetcher.position(partition.id) >= partition.endOffset;
    }
}
