package dev.weir.simulation;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.jspecify.annotations.Nullable;

/** The brokers of a simulated cluster, with common logs and groups. Confined to the simulation's thread. */
public final class Brokers implements Network.Server, AutoCloseable {

    private static final List<ApiKeys> APIS = List.of(
            ApiKeys.API_VERSIONS,
            ApiKeys.METADATA,
            ApiKeys.FIND_COORDINATOR,
            ApiKeys.LIST_OFFSETS,
            ApiKeys.FETCH,
            ApiKeys.PRODUCE,
            ApiKeys.INIT_PRODUCER_ID,
            ApiKeys.SHARE_GROUP_HEARTBEAT,
            ApiKeys.SHARE_FETCH,
            ApiKeys.SHARE_ACKNOWLEDGE);

    /** A failure of one batch, simulated by the broker. */
    public enum Refusal {
        /** The batch is written, but the response reports a timeout. */
        WRITTEN_BUT_TIMED_OUT,
        /** The response reports that the broker is not the leader of the partition. */
        NOT_LEADER
    }

    /** The timestamp in a ListOffsets request that means the earliest offset. */
    private static final long EARLIEST = -2;

    private final Schedule schedule = new Schedule();
    private final Faults faults;
    private final Topics topics;
    private final Network network;
    private final FetchSessions fetchSessions;
    private final ShareGroup shareGroup;
    private final Map<Integer, Integer> asked = new HashMap<>();
    private final Queue<Refusal> refusals = new ArrayDeque<>();
    private int throttleMillis;
    private int throttledAnswers;
    private long nextProducerId = 100;
    private long took;
    private int lastAsked;

    /**
     * Creates a cluster.
     *
     * @param random determines the behaviour of the network and the brokers
     */
    public Brokers(Random random, int count) {
        this.faults = new Faults(random);
        this.topics = new Topics(schedule, count);
        this.network = new Network(schedule, random, this);
        this.topics.host(network.host());
        this.fetchSessions = new FetchSessions(topics, faults);
        this.shareGroup = new ShareGroup(schedule, topics, faults, random);
    }

    public Schedule schedule() {
        return schedule;
    }

    public Topics topics() {
        return topics;
    }

    public Network network() {
        return network;
    }

    /** Returns the cluster's only share group. */
    public ShareGroup shareGroup() {
        return shareGroup;
    }

    /** Returns the broker that received the last metadata or coordinator request. */
    public int lastAsked() {
        return lastAsked;
    }

    /** Makes the brokers misbehave. Tests plant faults to show that their checks detect them. */
    public void plant(Planted fault) {
        faults.plant(fault);
    }

    /** Makes a broker forget its fetch sessions. */
    public void forgetSessions(int node) {
        fetchSessions.forget(node);
    }

    /** Adds a refusal. Each batch produced from now on takes the next refusal, if there is one. */
    public void refuseNext(Refusal refusal) {
        refusals.add(refusal);
    }

    /**
     * Sets the throttle time of the next fetch and produce responses.
     *
     * @param answers the number of responses
     * @param millis the throttle time in milliseconds
     */
    public void throttle(int answers, int millis) {
        throttledAnswers = answers;
        throttleMillis = millis;
    }

    /** Returns the number of metadata and coordinator requests that a broker has received. */
    public int asked(int node) {
        return asked.getOrDefault(node, 0);
    }

    @Override
    public long lastTook() {
        return took;
    }

    @Override
    public void disconnected(Network.Connection from) {
        shareGroup.disconnected(from);
    }

    @Override
    public @Nullable ApiMessage answer(Network.Connection from, ApiMessage request) {
        took = Network.MILLI / 2;
        int node = from.node();
        return switch (request) {
            case ApiVersionsRequestData ignored -> versions();
            case MetadataRequestData metadata -> {
                noteQuestion(node);
                yield topics.metadata(node, metadata);
            }
            case FindCoordinatorRequestData wanted -> {
                noteQuestion(node);
                yield topics.coordinator(node, wanted.coordinatorKeys());
            }
            case ListOffsetsRequestData wanted -> offsets(node, wanted);
            case FetchRequestData fetch -> fetch(node, fetch);
            case ProduceRequestData produce -> produce(from, produce);
            case InitProducerIdRequestData ignored ->
                new InitProducerIdResponseData().setProducerId(nextProducerId++).setProducerEpoch((short) 0);
            default -> {
                ApiMessage answer = shareGroup.answer(from, request);
                boolean waits = request instanceof ShareFetchRequestData && shareGroup.lastFetchWasEmpty();
                took = waits ? ((ShareFetchRequestData) request).maxWaitMs() * Network.MILLI : took;
                yield answer;
            }
        };
    }

    private void noteQuestion(int node) {
        asked.merge(node, 1, Integer::sum);
        lastAsked = node;
    }

    private static ApiVersionsResponseData versions() {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        for (ApiKeys api : APIS) {
            data.apiKeys()
                    .add(new ApiVersion()
                            .setApiKey(api.id)
                            .setMinVersion(api.oldestVersion())
                            .setMaxVersion(api.latestVersion()));
        }
        return data;
    }

    private int throttled() {
        if (throttledAnswers == 0) {
            return 0;
        }
        throttledAnswers--;
        return throttleMillis;
    }

    // ---- Reading ---------------------------------------------------------------------------------------------------

    private FetchResponseData fetch(int node, FetchRequestData request) {
        FetchResponseData answer = fetchSessions.answer(node, request);
        boolean isEmpty = answer.errorCode() == 0
                && answer.responses().stream()
                        .flatMap(topic -> topic.partitions().stream())
                        .allMatch(each -> each.errorCode() == 0
                                && each.divergingEpoch().epoch() < 0
                                && each.records().sizeInBytes() == 0);
        took = isEmpty ? request.maxWaitMs() * Network.MILLI : took;
        return answer.setThrottleTimeMs(throttled());
    }

    private ListOffsetsResponseData offsets(int node, ListOffsetsRequestData request) {
        ListOffsetsResponseData answer = new ListOffsetsResponseData();
        request.topics()
                .forEach(topic -> answer.topics()
                        .add(new ListOffsetsTopicResponse()
                                .setName(topic.name())
                                .setPartitions(topic.partitions().stream()
                                        .map(each ->
                                                offset(node, topics.find(topic.name(), each.partitionIndex()), each))
                                        .toList())));
        return answer;
    }

    private static ListOffsetsPartitionResponse offset(
            int node, Topics.@Nullable Partition partition, ListOffsetsPartition wanted) {
        ListOffsetsPartitionResponse answer =
                new ListOffsetsPartitionResponse().setPartitionIndex(wanted.partitionIndex());
        Errors refusal = FetchSessions.refusal(partition, node, wanted.currentLeaderEpoch());
        if (partition == null || refusal != Errors.NONE) {
            Errors error = partition == null ? Errors.UNKNOWN_TOPIC_OR_PARTITION : refusal;
            return answer.setErrorCode(error.code()).setOffset(Log.UNKNOWN);
        }
        Log log = partition.log();
        return answer.setOffset(wanted.timestamp() == EARLIEST ? log.start() : log.end());
    }

    // ---- Writing ---------------------------------------------------------------------------------------------------

    private ProduceResponseData produce(Network.Connection from, ProduceRequestData request) {
        ProduceResponseData answer = new ProduceResponseData().setThrottleTimeMs(throttled());
        request.topicData().forEach(topic -> {
            TopicProduceResponse response =
                    new TopicProduceResponse().setName(topic.name()).setTopicId(topic.topicId());
            topic.partitionData().forEach(each -> {
                Topics.Partition partition = topic.name().isEmpty()
                        ? topics.find(topic.topicId(), each.index())
                        : topics.find(topic.name(), each.index());
                response.partitionResponses()
                        .add(produce(from, partition, (MemoryRecords) each.records())
                                .setIndex(each.index()));
            });
            answer.responses().add(response);
        });
        return answer;
    }

    private PartitionProduceResponse produce(
            Network.Connection from, Topics.@Nullable Partition partition, MemoryRecords records) {
        if (partition == null) {
            return refused(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        Refusal refusal = refusals.poll();
        if (partition.leader() != from.node() || refusal == Refusal.NOT_LEADER) {
            return refused(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        MutableRecordBatch batch = records.batches().iterator().next();
        batch.ensureValid();
        Log log = partition.log();
        if (faults.happens(Planted.NOT_WRITTEN)) {
            return new PartitionProduceResponse().setBaseOffset(log.end());
        }
        Log.Appended appended = from.isGone() ? log.appendLate(batch) : log.append(batch);
        boolean repeats = faults.has(Planted.REPETITIONS_WRITTEN) && appended.wasKnown();
        boolean ignores = faults.has(Planted.SEQUENCES_IGNORED) && appended.error() != Errors.NONE;
        if (repeats || ignores) {
            appended = log.appendUnchecked(batch);
        }
        if (appended.error() != Errors.NONE) {
            return refused(appended.error());
        }
        return refusal == Refusal.WRITTEN_BUT_TIMED_OUT
                ? refused(Errors.REQUEST_TIMED_OUT)
                : new PartitionProduceResponse()
                        .setBaseOffset(faults.happens(Planted.OFFSETS_MIXED_UP) ? 0 : appended.base());
    }

    private static PartitionProduceResponse refused(Errors error) {
        return new PartitionProduceResponse().setErrorCode(error.code()).setBaseOffset(Log.UNKNOWN);
    }

    @Override
    public void close() {
        network.close();
    }
}
