package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, by the policy for it, where partitions go on whose position their log does not have, or has behind other records
 * than those that were read. Confined to the owner thread.
 */
final class LostPositions {

    private static final Logger LOG = LoggerFactory.getLogger(LostPositions.class);

    /** A divergence that is not known. */
    static final long UNKNOWN = -1;

    private final Assignment assignment;
    private final OutOfRangePolicy policy;

    LostPositions(Assignment assignment, OutOfRangePolicy policy) {
        this.assignment = assignment;
        this.policy = policy;
    }

    /**
     * Begins partitions anew that are where the fault says, and holds them: what was read of them, finished or not, has
     * offsets that mean nothing any more.
     */
    List<AssignedPartition> held(org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure) {
        List<AssignedPartition> held = new ArrayList<>();
        for (AssignedPartition partition : assignment.current(failure.partitions())) {
            if (assignment.isAt(partition, wanted(failure, partition.id))) {
                held.add(assignment.renew(partition));
            } else {
                // Of before a seek. If it holds all the same it comes again.
                assignment.checkAgain(partition);
            }
        }
        assignment.hold(held);
        return held;
    }

    /** Lets a partition go on that was {@link #held}; the log has offsets from {@code beginning} to {@code end}. */
    void release(
            AssignedPartition partition,
            long beginning,
            long end,
            org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure) {
        long wanted = wanted(failure, partition.id);
        long divergent = divergent(failure, partition.id);
        if (policy == OutOfRangePolicy.FAIL) {
            throw new OffsetOutOfRangeException(partition.id, wanted, beginning, end, divergent, failure);
        }
        long next = next(wanted, divergent, beginning, end);
        LOG.warn(
                "{}@{} is {} {} to {}; going on at {} as the policy {} says",
                partition.id,
                wanted,
                divergent == UNKNOWN ? "out of range" : "behind other records from " + divergent + " on, in",
                beginning,
                end,
                next,
                policy);
        assignment.release(partition, LogPosition.at(next));
    }

    private long next(long wanted, long divergent, long beginning, long end) {
        return switch (policy) {
            case FAIL -> throw new IllegalStateException("fails");
            case EARLIEST -> beginning;
            case LATEST -> end;
            case NEAREST -> {
                if (divergent != UNKNOWN) {
                    yield Math.clamp(divergent, beginning, end);
                }
                yield wanted < beginning ? beginning : end;
            }
        };
    }

    private static long wanted(org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure, TopicPartition id) {
        return Objects.requireNonNull(failure.offsetOutOfRangePartitions().get(id));
    }

    private static long divergent(
            org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure, TopicPartition id) {
        OffsetAndMetadata divergent = failure instanceof LogTruncationException cut
                ? cut.divergentOffsets().get(id)
                : null;
        return divergent == null ? UNKNOWN : divergent.offset();
    }
}
