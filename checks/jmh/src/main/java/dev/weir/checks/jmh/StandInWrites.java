package dev.weir.checks.jmh;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Readable;

/**
 * Answers the requests of producers to {@link StandInBrokers}. Each request succeeds; its records are neither stored
 * nor parsed. Stateless.
 */
final class StandInWrites {
    static final List<ApiKeys> APIS = List.of(
            ApiKeys.PRODUCE,
            ApiKeys.INIT_PRODUCER_ID,
            ApiKeys.CREATE_TOPICS,
            ApiKeys.DELETE_TOPICS,
            ApiKeys.FIND_COORDINATOR,
            ApiKeys.OFFSET_COMMIT);

    /** The last version with topic names. */
    private static final short LAST_PRODUCE = 12;

    private static final short LAST_DELETE = 5;
    private static final short LAST_FIND = 3; // one coordinator is named in the response
    private static final short LAST_COMMIT = 9;
    private static final long PRODUCER_ID = 7;

    private StandInWrites() {}

    /** Returns the latest supported version of a request. */
    static short latest(ApiKeys api) {
        return switch (api) {
            case PRODUCE -> LAST_PRODUCE;
            case DELETE_TOPICS -> LAST_DELETE;
            case FIND_COORDINATOR -> LAST_FIND;
            case OFFSET_COMMIT -> LAST_COMMIT;
            default -> api.latestVersion();
        };
    }

    /** Returns the id of a topic, derived from its name. */
    static Uuid id(String topic) {
        UUID id = UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8));
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** @param port the port of the coordinator of all groups */
    static ApiMessage answer(ApiKeys api, int port, Readable in, short version) throws IOException {
        return switch (api) {
            case PRODUCE -> produced(new ProduceRequestData(in, version));
            case INIT_PRODUCER_ID ->
                new InitProducerIdResponseData().setProducerId(PRODUCER_ID).setProducerEpoch((short) 0);
            case CREATE_TOPICS -> created(new CreateTopicsRequestData(in, version));
            case DELETE_TOPICS -> deleted(new DeleteTopicsRequestData(in, version));
            case FIND_COORDINATOR -> found(port);
            case OFFSET_COMMIT -> committed(new OffsetCommitRequestData(in, version));
            default -> throw new IOException("request " + api);
        };
    }

    private static ProduceResponseData produced(ProduceRequestData request) {
        ProduceResponseData data = new ProduceResponseData();
        request.topicData()
                .forEach(topic -> data.responses()
                        .add(new ProduceResponseData.TopicProduceResponse()
                                .setName(topic.name())
                                .setPartitionResponses(topic.partitionData().stream()
                                        .map(each -> new ProduceResponseData.PartitionProduceResponse()
                                                .setIndex(each.index())
                                                .setBaseOffset(0))
                                        .toList())));
        return data;
    }

    private static CreateTopicsResponseData created(CreateTopicsRequestData request) {
        CreateTopicsResponseData data = new CreateTopicsResponseData();
        request.topics()
                .forEach(topic -> data.topics()
                        .add(new CreateTopicsResponseData.CreatableTopicResult()
                                .setName(topic.name())
                                .setTopicId(id(topic.name()))));
        return data;
    }

    private static DeleteTopicsResponseData deleted(DeleteTopicsRequestData request) {
        DeleteTopicsResponseData data = new DeleteTopicsResponseData();
        request.topicNames()
                .forEach(name ->
                        data.responses().add(new DeleteTopicsResponseData.DeletableTopicResult().setName(name)));
        return data;
    }

    private static FindCoordinatorResponseData found(int port) {
        return new FindCoordinatorResponseData()
                .setNodeId(0)
                .setHost("localhost")
                .setPort(port);
    }

    private static OffsetCommitResponseData committed(OffsetCommitRequestData request) {
        return new OffsetCommitResponseData()
                .setTopics(request.topics().stream()
                        .map(topic -> new OffsetCommitResponseData.OffsetCommitResponseTopic()
                                .setName(topic.name())
                                .setPartitions(topic.partitions().stream()
                                        .map(each -> new OffsetCommitResponseData.OffsetCommitResponsePartition()
                                                .setPartitionIndex(each.partitionIndex()))
                                        .toList()))
                        .toList());
    }
}
