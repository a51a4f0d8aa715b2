package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * A share group used for one pass of a driver. Brokers keep its settings until they are removed. Confined to one
 * thread.
 */
final class ShareGroup {
    private final Admin admin;
    private final String name;
    private final GroupSettings settings;

    ShareGroup(Admin admin, String name, Map<String, String> config) {
        this.admin = admin;
        this.name = name;
        this.settings = new GroupSettings(name, config);
    }

    String name() {
        return name;
    }

    void configure() {
        settings.set(admin);
    }

    /**
     * Returns whether the group has accepted all records before {@code offset} in each of these partitions. A lag of
     * zero counts too, because the start offset that brokers report may be too low.
     */
    boolean isPast(Set<TopicPartition> partitions, long offset) {
        Map<TopicPartition, SharePartitionOffsetInfo> offsets = offsets(partitions);
        return partitions.stream().allMatch(partition -> {
            SharePartitionOffsetInfo at = offsets.get(partition);
            return at != null && (at.startOffset() >= offset || at.lag().orElse(-1L) == 0);
        });
    }

    /** Returns the number of records before these end offsets that the group has not accepted yet. */
    long lag(Map<TopicPartition, Long> ends) {
        Map<TopicPartition, SharePartitionOffsetInfo> offsets = offsets(ends.keySet());
        long left = 0;
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            SharePartitionOffsetInfo at = offsets.get(end.getKey());
            long behind = Math.max(0, end.getValue() - (at == null ? 0 : at.startOffset()));
            left += at == null ? behind : Math.min(behind, at.lag().orElse(behind));
        }
        return left;
    }

    private Map<TopicPartition, SharePartitionOffsetInfo> offsets(Set<TopicPartition> partitions) {
        return Asked.of(
                "what share group " + name + " accepted",
                admin.listShareGroupOffsets(Map.of(name, new ListShareGroupOffsetsSpec().topicPartitions(partitions)))
                        .partitionsToOffsetInfo(name));
    }

    /** Removes the group's settings, which outlive the group. */
    void removeSettings() {
        settings.remove(admin);
    }

    /**
     * Deletes the group. Returns the reason if the deletion failed, otherwise null. A group with killed members can be
     * deleted once their sessions have timed out. Brokers never expire a share group ({@code ShareGroup.shouldExpire()}
     * of Kafka 4.4).
     */
    @Nullable
    Throwable delete() {
        try {
            Asked.of(
                    "to delete share group " + name,
                    admin.deleteShareGroups(List.of(name)).all());
            return null;
        } catch (BenchException e) {
            Throwable answer = e.getCause() instanceof ExecutionException failed ? failed.getCause() : e.getCause();
            return answer instanceof GroupIdNotFoundException ? null : answer;
        }
    }
}
