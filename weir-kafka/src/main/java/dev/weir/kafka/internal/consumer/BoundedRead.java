package dev.weir.kafka.internal.consumer;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;

/** Ends a read that has an end. Confined to the owner thread. */
final class BoundedRead {

    /** How often a member that has no partition asks how far the group is, and how long it waits for the answer. */
    private static final Duration GROUP_LOOK = Duration.ofSeconds(1);

    private final Plan plan;
    private final Consumer<?, ?> client;
    private final Fetcher fetcher;
    private final Clock clock;
    private final Assignment assignment;
    private final Emission emission;

    private long groupLookDueNanos;

    BoundedRead(
            Plan plan, Consumer<?, ?> client, Fetcher fetcher, Clock clock, Assignment assignment, Emission emission) {
        this.plan = plan;
        this.client = client;
        this.fetcher = fetcher;
        this.clock = clock;
        this.assignment = assignment;
        this.emission = emission;
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
        if (all && !emission.holdsBack()) {
            emission.end();
        }
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
