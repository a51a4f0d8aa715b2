package dev.weir.checks.jmh;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * Stand-in brokers that use almost no processor time. They answer each fetch of the same partitions with the same
 * bytes, except for offsets and the correlation id. They acknowledge produced records without storing them ({@link
 * StandInWrites}). One endless topic can be read; all others can be written. Each connection has its own thread.
 *
 * <p>To run one broker in its own process: {@code java -cp checks/jmh/target/benchmarks.jar
 * dev.weir.checks.jmh.StandInBrokers PORT PARTITIONS VALUE_BYTES}.
 */
final class StandInBrokers implements Closeable {
    static final String TOPIC = "stand-in";

    private static final Uuid TOPIC_ID = Uuid.randomUuid();
    private static final int BATCHES = 8; // the number of batches of a partition in each response
    private static final int BATCH_RECORDS = 1_000;
    private static final long MARK = 0x7ad0_0000_0000_0000L; // plus a number: a placeholder for a base offset
    private static final int CORRELATION_AT = Integer.BYTES;

    private final List<ServerSocketChannel> brokers = new ArrayList<>();
    private final int partitions;
    private final CompressionType codec;
    private final int valueBytes;

    /** Starts {@code count} brokers, which lead the partitions in turn. */
    StandInBrokers(int count, int partitions, CompressionType codec, int valueBytes) throws IOException {
        this(count, 0, partitions, codec, valueBytes);
    }

    private StandInBrokers(int count, int port, int partitions, CompressionType codec, int valueBytes)
            throws IOException {
        this.partitions = partitions;
        this.codec = codec;
        this.valueBytes = valueBytes;
        for (int i = 0; i < count; i++) {
            ServerSocketChannel broker = ServerSocketChannel.open();
            broker.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            brokers.add(broker);
        }
        for (ServerSocketChannel broker : brokers) {
            Thread.ofPlatform().daemon().name("stand-in").start(() -> accept(broker));
        }
    }

    /** Runs one broker until the process is killed. */
    public static void main(String[] args) throws Exception {
        try (StandInBrokers brokers = new StandInBrokers(
                1,
                Integer.parseInt(args[0]),
                Integer.parseInt(args[1]),
                CompressionType.NONE,
                Integer.parseInt(args[2]))) {
            System.out.println(brokers.address());
            new CountDownLatch(1).await();
        }
    }

    String address() throws IOException {
        return "localhost:" + port(brokers.getFirst());
    }

    private static int port(ServerSocketChannel broker) throws IOException {
        return ((InetSocketAddress) broker.getLocalAddress()).getPort();
    }

    private void accept(ServerSocketChannel broker) {
        try {
            while (true) {
                SocketChannel connection = broker.accept();
                Thread.ofPlatform().daemon().name("stand-in").start(() -> serve(connection));
            }
        } catch (IOException closed) {
            // The broker has been closed.
        }
    }

    private void serve(SocketChannel connection) {
        Map<List<Integer>, Answer> answers = new HashMap<>(); // by partition, in request order
        ByteBuffer size = ByteBuffer.allocateDirect(Integer.BYTES);
        ByteBuffer request = ByteBuffer.allocateDirect(1 << 16);
        try (connection) {
            while (true) {
                fill(connection, size.clear());
                if (request.capacity() < size.getInt(0)) {
                    request = ByteBuffer.allocateDirect(2 * size.getInt(0));
                }
                fill(connection, request.clear().limit(size.getInt(0)));
                write(connection, answer(request.flip(), answers));
            }
        } catch (IOException gone) {
            // The client has closed the connection.
        }
    }

    private static void fill(SocketChannel from, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (from.read(buffer) < 0) {
                throw new EOFException("the client closed the connection");
            }
        }
    }

    private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    private ByteBuffer answer(ByteBuffer request, Map<List<Integer>, Answer> answers) throws IOException {
        RequestHeader header = RequestHeader.parse(request);
        ByteBufferAccessor in = new ByteBufferAccessor(request);
        short version = header.apiVersion();
        if (header.apiKey() == ApiKeys.FETCH) {
            return fetched(header, new FetchRequestData(in, version), answers);
        }
        ApiMessage body = switch (header.apiKey()) {
            case API_VERSIONS -> versions();
            case METADATA -> metadata(new MetadataRequestData(in, version));
            case LIST_OFFSETS -> beginnings(new ListOffsetsRequestData(in, version));
            default -> StandInWrites.answer(header.apiKey(), port(brokers.getFirst()), in, version);
        };
        return encoded(header, body);
    }

    private ByteBuffer fetched(RequestHeader header, FetchRequestData fetch, Map<List<Integer>, Answer> answers) {
        List<FetchPartition> wanted = fetch.topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .toList();
        List<Integer> numbers = wanted.stream().map(FetchPartition::partition).toList();
        return answers.computeIfAbsent(numbers, unused -> new Answer(encoded(header, records(numbers))))
                .to(header.correlationId(), wanted);
    }

    private static ByteBuffer encoded(RequestHeader header, ApiMessage body) {
        short version = header.apiVersion();
        ByteBuffer bytes = RequestUtils.serialize(
                new ResponseHeaderData().setCorrelationId(header.correlationId()),
                header.apiKey().responseHeaderVersion(version),
                body,
                version);
        return ByteBuffer.allocateDirect(Integer.BYTES + bytes.remaining())
                .putInt(bytes.remaining())
                .put(bytes)
                .flip();
    }

    private static ApiVersionsResponseData versions() {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        List<ApiKeys> all = new ArrayList<>(StandInWrites.APIS);
        all.addAll(List.of(ApiKeys.API_VERSIONS, ApiKeys.METADATA, ApiKeys.LIST_OFFSETS, ApiKeys.FETCH));
        for (ApiKeys api : all) {
            data.apiKeys()
                    .add(new ApiVersionsResponseData.ApiVersion()
                            .setApiKey(api.id)
                            .setMinVersion(api.oldestVersion())
                            .setMaxVersion(StandInWrites.latest(api)));
        }
        return data;
    }

    private MetadataResponseData metadata(MetadataRequestData request) throws IOException {
        MetadataResponseData data =
                new MetadataResponseData().setControllerId(0).setClusterId(TOPIC);
        for (int id = 0; id < brokers.size(); id++) {
            data.brokers()
                    .add(new MetadataResponseData.MetadataResponseBroker()
                            .setNodeId(id)
                            .setHost("localhost")
                            .setPort(port(brokers.get(id))));
        }
        List<MetadataRequestData.MetadataRequestTopic> topics = request.topics() == null ? List.of() : request.topics();
        topics.forEach(topic -> data.topics()
                .add(new MetadataResponseData.MetadataResponseTopic()
                        .setName(topic.name())
                        .setTopicId(topic.name().equals(TOPIC) ? TOPIC_ID : StandInWrites.id(topic.name()))
                        .setPartitions(IntStream.range(0, partitions)
                                .mapToObj(number -> new MetadataResponseData.MetadataResponsePartition()
                                        .setPartitionIndex(number)
                                        .setLeaderId(number % brokers.size())
                                        .setLeaderEpoch(1))
                                .toList())));
        return data;
    }

    private static ListOffsetsResponseData beginnings(ListOffsetsRequestData request) {
        ListOffsetsResponseData data = new ListOffsetsResponseData();
        request.topics()
                .forEach(topic -> data.topics()
                        .add(new ListOffsetsResponseData.ListOffsetsTopicResponse()
                                .setName(topic.name())
                                .setPartitions(topic.partitions().stream()
                                        .map(wanted -> new ListOffsetsResponseData.ListOffsetsPartitionResponse()
                                                .setPartitionIndex(wanted.partitionIndex())
                                                .setOffset(0))
                                        .toList())));
        return data;
    }

    private FetchResponseData records(List<Integer> numbers) {
        List<FetchResponseData.PartitionData> data = new ArrayList<>();
        for (int at = 0; at < numbers.size(); at++) {
            data.add(new FetchResponseData.PartitionData()
                    .setPartitionIndex(numbers.get(at))
                    .setHighWatermark(Long.MAX_VALUE / 2)
                    .setLastStableOffset(Long.MAX_VALUE / 2)
                    .setRecords(batches(at * BATCHES)));
        }
        return new FetchResponseData()
                .setResponses(
                        numbers.isEmpty()
                                ? List.of()
                                : List.of(new FetchResponseData.FetchableTopicResponse()
                                        .setTopicId(TOPIC_ID)
                                        .setPartitions(data)));
    }

    private MemoryRecords batches(int firstMark) {
        SimpleRecord[] records = IntStream.range(0, BATCH_RECORDS)
                .mapToObj(number -> new SimpleRecord(
                        ByteBuffer.allocate(valueBytes).putLong(0, number).array()))
                .toArray(SimpleRecord[]::new);
        List<MemoryRecords> batches = new ArrayList<>();
        int bytes = 0;
        for (int i = 0; i < BATCHES; i++) {
            MemoryRecords batch = MemoryRecords.withRecords(
                    MARK + firstMark + i, Compression.of(codec).build(), records);
            batches.add(batch);
            bytes += batch.sizeInBytes();
        }
        ByteBuffer all = ByteBuffer.allocate(bytes);
        batches.forEach(batch -> all.put(batch.buffer()));
        return MemoryRecords.readableRecords(all.flip());
    }

    /**
     * A reusable fetch response for one set of partitions. Only offsets and the correlation id change. Confined to a
     * connection's thread.
     */
    private static final class Answer {
        private final ByteBuffer bytes;
        private final List<Integer> baseOffsetsAt = new ArrayList<>();

        Answer(ByteBuffer bytes) {
            this.bytes = bytes;
            for (int at = 0; at + Long.BYTES <= bytes.limit(); at++) {
                if (bytes.getLong(at) == MARK + baseOffsetsAt.size()) {
                    baseOffsetsAt.add(at);
                }
            }
        }

        ByteBuffer to(int correlationId, List<FetchPartition> wanted) {
            bytes.rewind().putInt(CORRELATION_AT, correlationId);
            for (int i = 0; i < baseOffsetsAt.size(); i++) {
                long from = wanted.get(i / BATCHES).fetchOffset();
                bytes.putLong(baseOffsetsAt.get(i), from + (long) (i % BATCHES) * BATCH_RECORDS);
            }
            return bytes;
        }
    }

    @Override
    public void close() throws IOException {
        for (ServerSocketChannel broker : brokers) {
            broker.close();
        }
    }
}
