package dev.weir.cli.group;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A group at one moment, as the brokers describe it. Immutable.
 *
 * @param group its id
 * @param type classic, consumer or share
 * @param state as the coordinator names it, for example {@code Stable} or {@code Empty}
 * @param partitions those that are assigned or have a committed offset, in order
 */
public record GroupSnapshot(
        String group, String type, String state, List<GroupMember> members, List<PartitionLag> partitions) {

    /**
     * A member.
     *
     * @param id of the member, as the coordinator knows it
     * @param clientId as its configuration says
     * @param host as the broker sees it, a name or a number
     */
    public record GroupMember(String id, String clientId, String host, Set<TopicPartition> partitions) {}

    /**
     * The rest of a partition that is not read.
     *
     * @param committed the next offset of the group; {@value #UNKNOWN} if nothing was committed
     * @param begin the first offset that is still there
     * @param end the offset after the last record
     * @param records of the group between {@code committed} and {@code end}; {@value #UNKNOWN} if not known
     * @param deleted records after {@code committed} that are no longer there
     * @param time how long ago the first of them was written, by its own timestamp; null if not known
     * @param whyUnknown why {@code records} or {@code time} is not known; null if both are
     */
    public record PartitionLag(
            TopicPartition partition,
            long committed,
            long begin,
            long end,
            long records,
            long deleted,
            @Nullable Duration time,
            @Nullable String whyUnknown) {

        /** A number that is not known. */
        public static final long UNKNOWN = -1;

        PartitionLag withTime(@Nullable Duration newTime, @Nullable String why) {
            return new PartitionLag(partition, committed, begin, end, records, deleted, newTime, why);
        }
    }

    /** The sum of what is known; {@value PartitionLag#UNKNOWN} if nothing is. */
    public long records() {
        return partitions.stream().allMatch(each -> each.records() < 0)
                ? PartitionLag.UNKNOWN
                : partitions.stream()
                        .mapToLong(PartitionLag::records)
                        .filter(records -> records > 0)
                        .sum();
    }
}
