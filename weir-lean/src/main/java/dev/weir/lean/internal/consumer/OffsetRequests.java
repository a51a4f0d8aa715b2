package dev.weir.lean.internal.consumer;

import dev.weir.lean.StartAt;
import dev.weir.lean.internal.cluster.ResponseMessages;
import dev.weir.lean.internal.net.BrokerConnection;
import dev.weir.lean.internal.wire.FailureText;
import dev.weir.lean.internal.wire.MalformedResponseException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Asks partition leaders for the offset of a log's beginning, of its end, or of a timestamp. Stateless. */
final class OffsetRequests {

    private static final short VERSION = 7;
    private static final int CONSUMER = -1;

    private OffsetRequests() {}

    /**
     * Sends one request for all partitions with an unknown start offset. Must not be called again before the response
     * has arrived. Returns false if there is nothing to request.
     */
    static boolean ask(
            BrokerConnection connection, List<FetchedPartition> partitions, boolean readCommitted, long nowNanos) {
        Map<String, ListOffsetsTopic> topics = null;
        for (int i = 0; i < partitions.size(); i++) {
            FetchedPartition partition = partitions.get(i);
            StartAt start = partition.start;
            if (partition.state != FetchedPartition.RESOLVING || start == null || !partition.isDue(nowNanos)) {
                continue;
            }
            if (topics == null) {
                topics = new LinkedHashMap<>();
            }
            partition.askedAtMove = partition.cursor.moves();
            topics.computeIfAbsent(
                            partition.topic.name,
                            name -> new ListOffsetsTopic().setName(name).setPartitions(new ArrayList<>()))
                    .partitions()
                    .add(new ListOffsetsPartition()
                            .setPartitionIndex(partition.number)
                            .setCurrentLeaderEpoch(partition.leader.epoch())
                            .setTimestamp(partition.wantsEndFirst() ? StartAt.END : start.timestampMillis()));
        }
        if (topics == null) {
            return false;
        }
        connection.send(
                ApiKeys.LIST_OFFSETS,
                VERSION,
                new ListOffsetsRequestData()
                        .setReplicaId(CONSUMER)
                        .setIsolationLevel((byte) (readCommitted ? 1 : 0))
                        .setTopics(List.copyOf(topics.values())));
        return true;
    }

    static ListOffsetsResponseData read(ByteBuffer bytes, short version) throws MalformedResponseException {
        try {
            return new ListOffsetsResponseData(ResponseMessages.body(bytes), version);
        } catch (RuntimeException e) {
            throw new MalformedResponseException("the offsets are malformed: " + FailureText.of(e));
        }
    }
}
