package dev.weir.kafka.internal.in.commit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;

/**
 * A request that commits offsets on behalf of a group member. Reusable: as long as the partitions stay the same, it
 * creates no objects for further commits. Confined to the owner thread.
 */
final class CommitRequest {

    private final OffsetCommitRequestData data = new OffsetCommitRequestData();
    private final Map<TopicPartition, OffsetCommitRequestPartition> partitions = new HashMap<>();

    /**
     * Returns the request for the given member, its generation and the offsets. The next call changes the returned
     * object, so it must have been encoded by then.
     */
    OffsetCommitRequestData of(ConsumerGroupMetadata member, Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (!partitions.keySet().equals(offsets.keySet())) {
            replacePartitions(offsets);
        }
        for (Map.Entry<TopicPartition, OffsetAndMetadata> each : offsets.entrySet()) {
            OffsetAndMetadata offset = each.getValue();
            Objects.requireNonNull(partitions.get(each.getKey()))
                    .setCommittedOffset(offset.offset())
                    .setCommittedLeaderEpoch(offset.leaderEpoch().orElse(-1))
                    .setCommittedMetadata(offset.metadata());
        }
        return data.setGroupId(member.groupId())
                .setGenerationIdOrMemberEpoch(member.generationId())
                .setMemberId(member.memberId())
                .setGroupInstanceId(member.groupInstanceId().orElse(null));
    }

    private void replacePartitions(Map<TopicPartition, OffsetAndMetadata> offsets) {
        partitions.clear();
        Map<String, OffsetCommitRequestTopic> topics = new HashMap<>();
        for (TopicPartition id : offsets.keySet()) {
            OffsetCommitRequestPartition partition =
                    new OffsetCommitRequestPartition().setPartitionIndex(id.partition());
            partitions.put(id, partition);
            topics.computeIfAbsent(
                            id.topic(),
                            name -> new OffsetCommitRequestTopic().setName(name).setPartitions(new ArrayList<>()))
                    .partitions()
                    .add(partition);
        }
        data.setTopics(List.copyOf(topics.values()));
    }
}
