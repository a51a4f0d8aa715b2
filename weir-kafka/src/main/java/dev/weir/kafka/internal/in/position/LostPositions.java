package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.OffsetOutOfRangeException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.DroppedRecords.Reason;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.fetch.OtherTopicException;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.stream.spi.Thrown;
import java.util.List;
import java.util.Objects;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Applies the out-of-range policy to partitions that cannot continue at their position. A partition cannot continue if
 * the log does not contain the position, if records before the position were replaced, or if the topic was recreated.
 * Confined to the owner thread.
 *
 * <p>Such a partition starts again with a new tracker, because its offsets may now refer to different records.
 */
final class LostPositions {

    private static final ConsumerLog LOG = ConsumerLog.of(LostPositions.class);

    private static final long UNKNOWN = -1;

    private final PartitionAssignment assignment;
    private final OutOfRangePolicy policy;
    private final boolean bounded;
    private final TopicIds topicIds;
    private final OffsetQueries queries;
    private final ObjLongConsumer<AssignedPartition> release;

    /**
     * Creates a handler of lost positions.
     *
     * @param queries resolves the offsets at which partitions continue
     * @param release makes a held partition continue at an offset
     */
    LostPositions(
            PartitionAssignment assignment,
            OutOfRangePolicy policy,
            boolean bounded,
            TopicIds topicIds,
            OffsetQueries queries,
            ObjLongConsumer<AssignedPartition> release) {
        this.assignment = assignment;
        this.policy = policy;
        this.bounded = bounded;
        this.topicIds = topicIds;
        this.queries = queries;
        this.release = release;
    }

    // ---- Out of range, truncated
    // -------------------------------------------------------------------------------------

    void outOfRange(org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure) {
        for (AssignedPartition partition : assignment.current(failure.partitions())) {
            long wanted =
                    Objects.requireNonNull(failure.offsetOutOfRangePartitions().get(partition.id()));
            if (assignment.isAt(partition, wanted)) {
                AssignedPartition renewed = renew(partition, Reason.OUT_OF_RANGE);
                long unread = Math.min(wanted, partition.firstDropped());
                LogPosition position =
                        new LogPosition(wanted, partition.epochs().before(wanted));
                if (failure instanceof OtherTopicException) {
                    topicIds.identifyAgain(
                            renewed, 2, () -> failIfBoundedOrReadRecreated(renewed, wanted, Thrown.reason(failure)));
                } else {
                    // The position may be after the end of the log because the topic was recreated.
                    topicIds.identifyAgain(renewed, 2, () -> ask(renewed, position, unread, failure));
                }
            } else {
                // The partition was moved after the failed fetch. The next fetch checks its new position.
                assignment.checkAgain(partition);
            }
        }
    }

    private AssignedPartition renew(AssignedPartition partition, Reason reason) {
        AssignedPartition renewed = assignment.renew(partition);
        assignment.dropped().add(List.of(partition), reason);
        assignment.hold(List.of(renewed));
        renewed.epochs().beginAt(LogPosition.at(partition.epochs().end()));
        return renewed;
    }

    private void ask(
            AssignedPartition partition,
            LogPosition wanted,
            long unread,
            org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure) {
        queries.add(
                partition,
                List.of(Position.beginning(), Position.end()),
                edges -> release(partition, wanted, unread, edges.get(0), edges.get(1), failure),
                () -> {});
    }

    private void release(
            AssignedPartition partition,
            LogPosition wanted,
            long unread,
            long beginning,
            long end,
            org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure) {
        long divergent = divergent(failure, partition.id());
        if (policy == OutOfRangePolicy.FAIL) {
            throw new OffsetOutOfRangeException(
                    partition.id(), wanted.offset(), wanted.leaderEpoch(), beginning, end, divergent, failure);
        }
        long common = divergent == UNKNOWN && failure instanceof LogTruncationException ? beginning : divergent;
        long next = next(wanted.offset(), common, beginning, end);
        LOG.warn(
                "{}@{} is {} {} to {}; continuing at {} as the policy {} says",
                partition.id(),
                wanted,
                divergent == UNKNOWN ? "out of range" : "behind other records from " + divergent + " on, in",
                beginning,
                end,
                next,
                policy);
        assignment.dropped().skip(partition.id(), unread, next, Reason.OUT_OF_RANGE);
        release.accept(partition, next);
    }

    private long next(long wanted, long divergent, long beginning, long end) {
        return switch (policy) {
            case FAIL -> throw new IllegalStateException("fails");
            case EARLIEST -> beginning;
            case LATEST -> end;
            case NEAREST -> nearest(divergent == UNKNOWN ? wanted : divergent, beginning, end);
        };
    }

    /**
     * Returns the nearest offset of a log. The beginning may be past the end, because the two were queried at different
     * times. If the log contains {@code offset}, the fetch was refused by a stale broker.
     */
    static long nearest(long offset, long beginning, long end) {
        return Math.max(beginning, Math.min(offset, end));
    }

    private static long divergent(
            org.apache.kafka.clients.consumer.OffsetOutOfRangeException failure, TopicPartition id) {
        OffsetAndMetadata divergent = failure instanceof LogTruncationException cut
                ? cut.divergentOffsets().get(id)
                : null;
        return divergent == null ? UNKNOWN : divergent.offset();
    }

    // ---- Recreated
    // ---------------------------------------------------------------------------------------------------

    /** Handles a record of another log: its leader epoch is lower than an earlier record's. */
    void ofAnotherLog(AssignedPartition partition, Fetched record) {
        AssignedPartition renewed = renew(partition, Reason.RECREATED);
        String proof = "its record at offset " + record.offset() + " has leader epoch " + record.leaderEpoch()
                + ", lower than one before it";
        topicIds.identifyAgain(renewed, 2, () -> failIfBoundedOrReadRecreated(renewed, record.offset(), proof));
    }

    /** Handles a topic that was recreated after the partition's position was determined. */
    void recreated(AssignedPartition partition, Uuid now) {
        if (assignment.isEnding()) {
            // Commits contain the topic id, so the next member will detect the recreated topic.
            return;
        }
        Uuid before = partition.topicId();
        long offset = partition.epochs().end();
        boolean opening = partition.isOpening();
        AssignedPartition renewed = renew(partition, Reason.RECREATED);
        renewed.identified(now);
        String proof = "topic id " + before + ", now " + now;
        if (opening) {
            readRecreated(renewed, offset, proof);
        } else {
            failIfBoundedOrReadRecreated(renewed, offset, proof);
        }
    }

    /** Handles a topic recreated during this run. A bounded read fails, because its end was in the deleted topic. */
    private void failIfBoundedOrReadRecreated(AssignedPartition partition, long offset, String proof) {
        if (bounded) {
            throw new RecreatedTopicException(
                    partition.id(), offset, proof, "the end of this read was one in that topic as well; read again");
        }
        readRecreated(partition, offset, proof);
    }

    private void readRecreated(AssignedPartition partition, long offset, String proof) {
        assignment.dropped().wasRecreated(partition.id());
        if (policy == OutOfRangePolicy.FAIL) {
            throw new RecreatedTopicException(
                    partition.id(),
                    offset,
                    proof,
                    "to continue, commit another offset for the group, or set the out-of-range policy to EARLIEST, LATEST or"
                            + " NEAREST");
        }
        boolean toEnd = policy == OutOfRangePolicy.LATEST;
        LOG.warn(
                "{}@{}: the topic was recreated ({}); continuing at its {} as the policy {} says",
                partition.id(),
                offset,
                proof,
                toEnd ? "end" : "beginning",
                policy);
        queries.add(
                partition,
                List.of(toEnd ? Position.end() : Position.beginning()),
                offsets -> {
                    if (toEnd) {
                        assignment.dropped().skip(partition.id(), 0, offsets.get(0), Reason.RECREATED);
                    }
                    release.accept(partition, offsets.get(0));
                },
                () -> {});
    }
}
