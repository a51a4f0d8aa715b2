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
 * @param partitions partitions that are assigned or have a committed offset, in order
 */
public record GroupSnapshot(
        String group, String type, String state, List<GroupMember> members, List<PartitionLag> partitions) {

    /**
     * A member.
     *
     * @param id the member id, as the coordinator knows it
     * @param clientId from its configuration
     * @param host as seen by the broker, a name or an address
     */
    public record GroupMember(String id, String clientId, String host, Set<TopicPartition> partitions) {}

    /**
     * The unread part of a partition.
     *
     * @param committed the offset committed by the group, which is the next one to read; {@value #UNKNOWN} if nothing
     *     was committed
     * @param begin the first offset still in the log
     * @param end the offset after the last record
     * @param records number of the group's records between {@code committed} and {@code end}; {@value #UNKNOWN} if not
     *     known
     * @param deleted number of records after {@code committed} that no longer exist
     * @param time age of the group's first unfinished record, according to the record's timestamp; null if not known
     * @param whyUnknown the reason why {@code records} or {@code time} is not known; null if both are known
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

        /** An unknown number. */
        public static final long UNKNOWN = -1;

        PartitionLag withTime(@Nullable Duration newTime, @Nullable String why) {
            return new PartitionLag(partition, committed, begin, end, records, deleted, newTime, why);
        }
    }

    /** The sum of the known lags; {@value PartitionLag#UNKNOWN} if none is known. */
    public long records() {
        return partitions.stream().allMatch(each -> each.records() < 0)
                ? PartitionLag.UNKNOWN
                : partitions.stream()
                        .mapToLong(PartitionLag::records)
                        .filter(records -> records > 0)
                        .sum();
    }
}
