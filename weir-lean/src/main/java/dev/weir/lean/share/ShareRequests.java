package dev.weir.lean.share;

import dev.weir.lean.share.PendingAcknowledgements.Packet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgePartition;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgeTopic;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchPartition;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ShareFetchRequestData.ForgottenTopic;

/** Creates a member's ShareFetch and ShareAcknowledge requests, both in version 2. Confined to the member's thread. */
final class ShareRequests {

    static final short VERSION = 2;

    private static final byte BATCH_OPTIMIZED = 0;
    private static final byte RECORD_LIMIT = 1;

    /** Maximum wait of a fetch while records are acquired. It is short, because acknowledgements wait for it. */
    private static final int SHORT_WAIT_MILLIS = 10;

    private static final int LONG_WAIT_MILLIS = 500;

    // The byte limit of a fetch is the expected size of its records times this factor.
    private static final double BYTES_SLACK = 1.5;
    private static final int MIN_PARTITION_BYTES = 64 * 1024;
    private static final int MAX_BYTES = 16 * 1024 * 1024;
    private static final double FORGETS = 0.1;

    private final String group;
    private final String member;
    private boolean wholeBatches;
    private double meanBytes = 1024;

    ShareRequests(String group, String member) {
        this.group = group;
        this.member = member;
    }

    /** Sets whether brokers return whole producer batches, even beyond the requested number of records. */
    void wholeBatches(boolean whole) {
        wholeBatches = whole;
    }

    /** Updates the mean size of a record from a response. */
    void saw(int records, int bytes) {
        meanBytes += FORGETS * ((double) bytes / records - meanBytes);
    }

    ShareFetchRequestData fetch(
            int epoch,
            int records,
            int partitions,
            boolean idle,
            Collection<TopicIdPartition> added,
            Collection<TopicIdPartition> forgotten,
            Map<AcquiredRanges, Packet> packets) {
        ShareFetchRequestData request = new ShareFetchRequestData()
                .setGroupId(group)
                .setMemberId(member)
                .setShareSessionEpoch(epoch)
                .setMaxWaitMs(idle ? LONG_WAIT_MILLIS : SHORT_WAIT_MILLIS)
                .setMinBytes(1)
                .setMaxBytes((int) Math.clamp(
                        (long) (records * meanBytes * BYTES_SLACK),
                        Math.min(MAX_BYTES, partitions * (long) MIN_PARTITION_BYTES),
                        MAX_BYTES))
                .setMaxRecords(records)
                .setBatchSize(records)
                .setShareAcquireMode(wholeBatches ? BATCH_OPTIMIZED : RECORD_LIMIT);
        added.forEach(id -> partition(request, id));
        packets.forEach((of, packet) -> partition(request, of.id)
                .setAcknowledgementBatches(packet.acks().stream()
                        .map(ack -> new ShareFetchRequestData.AcknowledgementBatch()
                                .setFirstOffset(ack.first())
                                .setLastOffset(ack.last())
                                .setAcknowledgeTypes(List.of(ack.type())))
                        .toList()));
        forgotten.forEach(id -> forget(request, id));
        return request;
    }

    private static FetchPartition partition(ShareFetchRequestData request, TopicIdPartition id) {
        FetchTopic topic = request.topics().find(id.topicId());
        if (topic == null) {
            topic = new FetchTopic().setTopicId(id.topicId());
            request.topics().add(topic);
        }
        FetchPartition partition = topic.partitions().find(id.partition());
        if (partition == null) {
            partition = new FetchPartition().setPartitionIndex(id.partition());
            topic.partitions().add(partition);
        }
        return partition;
    }

    private static void forget(ShareFetchRequestData request, TopicIdPartition id) {
        for (ForgottenTopic topic : request.forgottenTopicsData()) {
            if (topic.topicId().equals(id.topicId())) {
                topic.partitions().add(id.partition());
                return;
            }
        }
        ForgottenTopic topic = new ForgottenTopic().setTopicId(id.topicId());
        topic.partitions().add(id.partition());
        request.forgottenTopicsData().add(topic);
    }

    ShareAcknowledgeRequestData acknowledge(int epoch, Map<AcquiredRanges, Packet> packets) {
        ShareAcknowledgeRequestData request = new ShareAcknowledgeRequestData()
                .setGroupId(group)
                .setMemberId(member)
                .setShareSessionEpoch(epoch)
                .setIsRenewAck(packets.values().stream().anyMatch(Packet::renews));
        packets.forEach((of, packet) -> topic(request, of.id.topicId())
                .partitions()
                .add(new AcknowledgePartition()
                        .setPartitionIndex(of.id.partition())
                        .setAcknowledgementBatches(packet.acks().stream()
                                .map(ack -> new ShareAcknowledgeRequestData.AcknowledgementBatch()
                                        .setFirstOffset(ack.first())
                                        .setLastOffset(ack.last())
                                        .setAcknowledgeTypes(List.of(ack.type())))
                                .toList())));
        return request;
    }

    private static AcknowledgeTopic topic(ShareAcknowledgeRequestData request, Uuid id) {
        AcknowledgeTopic topic = request.topics().find(id);
        if (topic == null) {
            topic = new AcknowledgeTopic().setTopicId(id);
            request.topics().add(topic);
        }
        return topic;
    }
}
