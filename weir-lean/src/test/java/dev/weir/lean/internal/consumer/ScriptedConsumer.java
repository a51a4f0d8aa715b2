package dev.weir.lean.internal.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.RecordView;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.batch.Batches;
import dev.weir.lean.spi.BrokerNetworks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** A consumer of {@link ScriptedBrokers} with the nodes 0, 1 and 2. Confined to one thread. */
final class ScriptedConsumer implements AutoCloseable {

    static final String TOPIC = "t";
    static final Uuid TOPIC_ID = new Uuid(5, 6);
    static final int SESSION = 77;

    /** Leader epoch of the topic at the start. */
    static final int EPOCH = 3;

    static final long HIGH_WATERMARK = 100;
    static final long STABLE = 90;

    final ScriptedBrokers brokers = new ScriptedBrokers(0, 1, 2);
    final ConsumerEngine engine;

    /** Offsets of the delivered records. */
    final List<Long> offsets = new ArrayList<>();

    ScriptedConsumer() {
        this(settings -> settings);
    }

    ScriptedConsumer(UnaryOperator<LeanSettings.Builder> more) {
        String bootstrap = ScriptedBrokers.bootstrap(1);
        BrokerNetworks.put(bootstrap, brokers);
        try {
            engine = new ConsumerEngine(more.apply(LeanSettings.builder().bootstrapServers(bootstrap))
                    .build());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } finally {
            BrokerNetworks.remove(bootstrap);
        }
    }

    /** Sets the leaders of the topic's partitions. */
    void leaders(int epoch, int... leaders) {
        brokers.topic(TOPIC, TOPIC_ID, epoch, leaders);
    }

    int assign(int partition, StartAt start) {
        return engine.assign(TOPIC, partition, start);
    }

    /** Polls until there is nothing to do. */
    void poll() {
        poll(record -> {});
    }

    /** Polls until there is nothing to do. The handler runs after the record has been remembered. */
    void poll(RecordHandler handler) {
        int polls = 0;
        int work;
        do {
            work = pollOnce(handler);
            assertThat(polls++).isLessThan(1_000);
        } while (work > 0);
    }

    int pollOnce(RecordHandler handler) {
        int before = offsets.size();
        int work = engine.poll(record -> take(record, handler), null);
        assertThat(work).isGreaterThanOrEqualTo(offsets.size() - before);
        return work;
    }

    private void take(RecordView record, RecordHandler handler) {
        offsets.add(record.offset());
        handler.onRecord(record);
    }

    void pass(long millis) {
        brokers.pass(TimeUnit.MILLISECONDS.toNanos(millis));
        poll();
    }

    /** Makes the consumer request metadata now. */
    void refresh() {
        engine.unassign(engine.assign("another", 0, StartAt.offset(0)));
        poll();
    }

    // ---- Requests --------------------------------------------------------------------------------------------------

    /**
     * Returns the fetch requests that a node has received since the last call, as {@code session/epoch [partitions]}.
     * Each partition has the lower half of its topic id, its number, its offset, and both epochs.
     */
    List<String> fetches(int node) {
        return brokers.received(node, ApiKeys.FETCH).stream()
                .map(request -> text((FetchRequestData) request))
                .toList();
    }

    private static String text(FetchRequestData request) {
        String fetched = request.topics().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(each -> topic.topicId().getLeastSignificantBits() + "-" + each.partition() + "@"
                                + each.fetchOffset() + " of " + each.currentLeaderEpoch() + " after "
                                + each.lastFetchedEpoch()))
                .collect(Collectors.joining(", ", "[", "]"));
        String forgotten = request.forgottenTopicsData().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(number -> topic.topicId().getLeastSignificantBits() + "-" + number))
                .collect(Collectors.joining(", "));
        return request.sessionId() + "/" + request.sessionEpoch() + " " + fetched
                + (forgotten.isEmpty() ? "" : " without " + forgotten);
    }

    /** Returns the offset requests that a node has received, as {@code topic [partition epoch timestamp]}. */
    List<String> offsetRequests(int node) {
        return brokers.received(node, ApiKeys.LIST_OFFSETS).stream()
                .map(request -> ((ListOffsetsRequestData) request)
                        .topics().stream().map(ScriptedConsumer::text).collect(Collectors.joining(", ")))
                .toList();
    }

    private static String text(ListOffsetsTopic topic) {
        return topic.partitions().stream()
                .map(each -> each.partitionIndex() + " " + each.currentLeaderEpoch() + " " + each.timestamp())
                .collect(Collectors.joining(", ", topic.name() + " [", "]"));
    }

    // ---- Answers ---------------------------------------------------------------------------------------------------

    /** Returns a batch of three records. */
    static ByteBuffer batch(long offset) {
        return Batches.batch(CompressionType.NONE, offset, Collections.nCopies(3, new SimpleRecord(0, new byte[40])));
    }

    static PartitionData data(int partition, ByteBuffer... batches) {
        return new PartitionData()
                .setPartitionIndex(partition)
                .setHighWatermark(HIGH_WATERMARK)
                .setLastStableOffset(STABLE)
                .setRecords(MemoryRecords.readableRecords(Batches.joined(batches)));
    }

    static PartitionData failure(int partition, Errors error) {
        return data(partition).setErrorCode(error.code());
    }

    static FetchResponseData answer(PartitionData... partitions) {
        return new FetchResponseData()
                .setSessionId(SESSION)
                .setResponses(
                        partitions.length == 0
                                ? List.of()
                                : List.of(new FetchableTopicResponse()
                                        .setTopicId(TOPIC_ID)
                                        .setPartitions(List.of(partitions))));
    }

    static ListOffsetsResponseData offset(int partition, long offset) {
        return offsets(
                new ListOffsetsPartitionResponse().setPartitionIndex(partition).setOffset(offset));
    }

    static ListOffsetsResponseData noOffset(int partition, Errors error) {
        return offsets(
                new ListOffsetsPartitionResponse().setPartitionIndex(partition).setErrorCode(error.code()));
    }

    private static ListOffsetsResponseData offsets(ListOffsetsPartitionResponse partition) {
        return new ListOffsetsResponseData()
                .setTopics(List.of(new ListOffsetsTopicResponse().setName(TOPIC).setPartitions(List.of(partition))));
    }

    @Override
    public void close() {
        engine.close();
    }
}
