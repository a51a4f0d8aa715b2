package dev.weir.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that tells why a consumer is where it is. Immutable.
 *
 * @param at when this was so
 * @param reads what it is subscribed to
 * @param state what it is doing: running, stopped (nothing more is emitted), or closed
 * @param sinceLastPoll how long ago the client was last polled; the group expels a member after {@code
 *     max.poll.interval.ms}
 * @param assignments how often partitions have come so far
 * @param rebalances how often partitions went away
 * @param commits commits that succeeded so far
 * @param failedCommits commits that failed so far, each of them retried
 * @param partitions the assigned partitions
 */
public record ConsumerDump(
        Instant at,
        String reads,
        String state,
        Duration sinceLastPoll,
        int assignments,
        int rebalances,
        long commits,
        long failedCommits,
        List<PartitionDump> partitions) {

    /** Why nothing is fetched of a partition, or nothing of it goes out. */
    public enum Paused {
        /** Its window or its share of memory is full: the pipeline is behind. */
        BEHIND,
        /** A user has paused it. */
        USER,
        /** It is not yet known where to start. */
        STARTING,
        /** No pipeline of a shared consumer reads it. */
        UNREAD,
        /** It is read to the end that was asked for, or the consumer was stopped. */
        END
    }

    /**
     * One assigned partition.
     *
     * @param topic its topic
     * @param partition its number
     * @param epoch the number of the assignment with which it came, see {@link ConsumerDump#assignments}
     * @param buffered records fetched that the pipeline has not pulled
     * @param inFlight records pulled and not finished, or finished behind one that is not
     * @param oldest the first unfinished record, if there is one
     * @param paused why it stands still, empty if it does not
     * @param committed the offset last committed in this assignment, or -1
     * @param sinceCommit how long ago that was
     * @param position where the next fetch goes on, or -1 if not known
     * @param lag records between the first unfinished one and the end of the partition, or -1 if not known
     */
    public record PartitionDump(
            String topic,
            int partition,
            int epoch,
            int buffered,
            int inFlight,
            @Nullable Oldest oldest,
            Set<Paused> paused,
            long committed,
            @Nullable Duration sinceCommit,
            long position,
            long lag) {}

    /**
     * The first unfinished record of a partition, which keeps all behind it from being committed.
     *
     * @param offset its offset
     * @param age how long it has been the first one, to a tenth of a second or so
     */
    public record Oldest(long offset, Duration age) {}
}
