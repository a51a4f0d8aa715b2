package dev.weir.bench.cluster;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** The number of records a consumer group has not committed. Stateless. */
final class GroupLag {

    private GroupLag() {}

    /**
     * Returns the total lag of the group in these partitions. A partition without a committed offset lags by its end
     * offset.
     *
     * @param ends the end offset of each partition
     */
    static long of(Admin admin, String group, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, OffsetAndMetadata> committed = Asked.of(
                "what group " + group + " committed",
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        long left = 0;
        for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
            OffsetAndMetadata at = committed.get(end.getKey());
            left += Math.max(0, end.getValue() - (at == null ? 0 : at.offset()));
        }
        return left;
    }
}
