package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.testkit.KafkaCluster;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** Writes records that brokers accept and Kafka's own producer refuses. Stateless. */
final class RawProducer {

    private static final int CRC_AT = 17;
    private static final int CHECKED_FROM = 21;
    private static final int BASE_TIMESTAMP_AT = 27;
    private static final int MAX_TIMESTAMP_AT = 35;

    /** The last version of the request that names topics. */
    private static final short BY_NAME = 12;

    private RawProducer() {}

    /** Writes one record with any timestamp to partition 0, which the first broker must lead. */
    static void write(KafkaCluster cluster, String topic, String key, String value, long timestamp) {
        MemoryRecords records = MemoryRecords.withRecords(
                Compression.NONE, new SimpleRecord(0, key.getBytes(UTF_8), value.getBytes(UTF_8)));
        ByteBuffer batch = records.buffer();
        batch.putLong(BASE_TIMESTAMP_AT, timestamp).putLong(MAX_TIMESTAMP_AT, timestamp);
        CRC32C crc = new CRC32C();
        crc.update(batch.slice(CHECKED_FROM, batch.limit() - CHECKED_FROM));
        batch.putInt(CRC_AT, (int) crc.getValue());

        TopicProduceDataCollection topics = new TopicProduceDataCollection();
        topics.add(new TopicProduceData()
                .setName(topic)
                .setPartitionData(List.of(new PartitionProduceData().setIndex(0).setRecords(records))));
        send(
                cluster.bootstrapServers().split(",", 2)[0],
                new ProduceRequest(
                        new ProduceRequestData()
                                .setAcks((short) -1)
                                .setTimeoutMs(10_000)
                                .setTopicData(topics),
                        BY_NAME));
    }

    private static void send(String address, ProduceRequest request) {
        RequestHeader header = new RequestHeader(ApiKeys.PRODUCE, BY_NAME, "raw", 1);
        ByteBuffer bytes = request.serializeWithHeader(header);
        int colon = address.lastIndexOf(':');
        try (Socket socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(bytes.remaining());
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            out.flush();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] answer = new byte[in.readInt()];
            in.readFully(answer);
            ProduceResponse response =
                    (ProduceResponse) AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
            if (!response.errorCounts().keySet().stream().allMatch(error -> error.code() == 0)) {
                throw new AssertionError("refused: " + response);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
