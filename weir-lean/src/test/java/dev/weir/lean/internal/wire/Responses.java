package dev.weir.lean.internal.wire;

import dev.weir.lean.internal.batch.Batches;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.RequestUtils;

/** A broker's fetch responses. Stateless. */
public final class Responses {

    public static final Uuid TOPIC = Uuid.fromString("3-HEhZmRRnCQ3lKEBVbaHg");
    static final ByteBuffer RECORDS = Batches.batch(CompressionType.LZ4, 7, Batches.records(1, 20, 50));

    private Responses() {}

    /** Returns a response of three partitions: with records, with an error and all tags, and empty. */
    public static ByteBuffer of(short version) {
        PartitionData full = new PartitionData()
                .setPartitionIndex(5)
                .setHighWatermark(1_000)
                .setLastStableOffset(900)
                .setLogStartOffset(7)
                .setAbortedTransactions(List.of(
                        new AbortedTransaction().setProducerId(9).setFirstOffset(8),
                        new AbortedTransaction().setProducerId(10).setFirstOffset(7)))
                .setRecords(MemoryRecords.readableRecords(RECORDS.duplicate().rewind()));
        PartitionData failed = new PartitionData()
                .setPartitionIndex(6)
                .setErrorCode((short) 1)
                .setDivergingEpoch(new EpochEndOffset().setEpoch(2).setEndOffset(88))
                .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(1).setLeaderEpoch(4))
                .setPreferredReadReplica(3)
                .setRecords(MemoryRecords.EMPTY);
        PartitionData empty = new PartitionData()
                .setPartitionIndex(0)
                .setAbortedTransactions(null)
                .setRecords(null);
        FetchResponseData data = new FetchResponseData()
                .setThrottleTimeMs(12)
                .setSessionId(34)
                .setResponses(List.of(
                        new FetchableTopicResponse().setTopicId(TOPIC).setPartitions(List.of(full, failed)),
                        new FetchableTopicResponse()
                                .setTopicId(Uuid.randomUuid())
                                .setPartitions(List.of()),
                        new FetchableTopicResponse()
                                .setTopicId(Uuid.randomUuid())
                                .setPartitions(List.of(empty))));
        if (version >= 16) {
            data.nodeEndpoints()
                    .add(new FetchResponseData.NodeEndpoint()
                            .setNodeId(1)
                            .setHost("elsewhere")
                            .setPort(9));
        }
        ByteBuffer bytes =
                RequestUtils.serialize(new ResponseHeaderData().setCorrelationId(1), (short) 1, data, version);
        return ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).rewind();
    }

    /** Reads everything in a response. Returns the number of records' bytes. */
    public static long walk(FetchResponse response, ByteBuffer bytes, boolean cut) throws MalformedResponseException {
        AbortedTransactions aborted = new AbortedTransactions();
        long recordBytes = 0;
        response.wrap(bytes, 0, bytes.limit(), cut);
        while (response.next()) {
            response.abortedTo(aborted);
            recordBytes += response.recordsLength();
        }
        return recordBytes;
    }
}
