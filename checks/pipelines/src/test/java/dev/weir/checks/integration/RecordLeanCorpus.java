package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Records the fetch responses of real brokers. They are the corpus from which the fuzz tests of {@code weir-lean}
 * start. The class's name keeps it out of the test suite. Run it when the lean path uses a new version of the fetch
 * request, and commit the files that it writes:
 *
 * <pre>{@code
 * ./mvnw -q -pl checks/pipelines -am test -Dtest=RecordLeanCorpus -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 */
class RecordLeanCorpus {

    private static final Path INPUTS = Path.of(
            System.getProperty("weir.root"),
            "weir-lean/src/test/resources/dev/weir/lean/internal/wire/FetchFuzzTestInputs");
    private static final short FIRST_VERSION = 13;
    private static final short LAST_VERSION = 17;
    private static final String APPEND = "append";
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

    /** Broker 1, which gets the fetches, leads all partitions except {@code elsewhere}. */
    private static final Map<Integer, List<Integer>> BOTH = Map.of(0, List.of(1, 2));

    private final Random random = new Random(17);
    private int recorded;

    @Test
    @Timeout(120)
    void record() throws Exception {
        try (KafkaCluster cluster =
                KafkaCluster.builder().brokers(2).racks("near", "far").start()) {
            for (String codec : CODECS) {
                batches(cluster, codec);
                largeBatch(cluster, codec);
            }
            batches(cluster, APPEND);
            transactions(cluster);
            cluster.createTopic("elsewhere", Map.of(0, List.of(2)));
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(), cluster.broker(1).port())) {
                for (short version = FIRST_VERSION; version <= LAST_VERSION; version++) {
                    ask(socket, cluster, version);
                }
            }
        }
        assertThat(recorded).isGreaterThan(50);
    }

    private void ask(Socket socket, KafkaCluster cluster, short version) throws Exception {
        for (String codec : CODECS) {
            write(version, "batches-" + codec, exchange(socket, version, request(cluster, "batches-" + codec)));
            if (version == LAST_VERSION) {
                write(version, "large-" + codec, exchange(socket, version, request(cluster, "large-" + codec)));
            }
        }
        write(version, "append-time", exchange(socket, version, request(cluster, "batches-" + APPEND)));
        FetchRequestData middle = request(cluster, "batches-lz4");
        partition(middle).setFetchOffset(20);
        write(version, "from-the-middle", exchange(socket, version, middle));
        FetchRequestData cut = request(cluster, "batches-none");
        partition(cut).setPartitionMaxBytes(2_500);
        write(version, "cut-batch", exchange(socket, version, cut));
        FetchRequestData end = request(cluster, "batches-none").setMaxWaitMs(1);
        partition(end).setFetchOffset(45);
        write(version, "end-of-log", exchange(socket, version, end));
        FetchRequestData committed = request(cluster, "transactions").setIsolationLevel((byte) 1);
        write(version, "transactions-committed", exchange(socket, version, committed));
        write(version, "transactions-all", exchange(socket, version, request(cluster, "transactions")));
        errors(socket, cluster, version);
        session(socket, cluster, version);
    }

    private void errors(Socket socket, KafkaCluster cluster, short version) throws Exception {
        FetchRequestData outOfRange = request(cluster, "batches-none");
        partition(outOfRange).setFetchOffset(4_000);
        write(version, "out-of-range", exchange(socket, version, outOfRange));
        FetchRequestData diverging = request(cluster, "batches-none");
        partition(diverging).setFetchOffset(4_000).setLastFetchedEpoch(0);
        write(version, "diverging", exchange(socket, version, diverging));
        FetchRequestData newer = request(cluster, "batches-none");
        partition(newer).setCurrentLeaderEpoch(99);
        write(version, "unknown-epoch", exchange(socket, version, newer));
        write(version, "not-leader", exchange(socket, version, request(cluster, "elsewhere")));
        FetchRequestData unknown = request(cluster, "batches-none");
        unknown.topics().getFirst().setTopicId(Uuid.randomUuid());
        write(version, "unknown-topic", exchange(socket, version, unknown));
        write(
                version,
                "follower",
                exchange(socket, version, request(cluster, "batches-none").setRackId("far")));
    }

    /** Records a fetch session: a fetch of two topics, then a fetch without new records. */
    private void session(Socket socket, KafkaCluster cluster, short version) throws Exception {
        FetchRequestData first = request(cluster, "batches-none").setSessionEpoch(0);
        first.topics().add(request(cluster, "batches-zstd").topics().getFirst());
        byte[] answer = exchange(socket, version, first);
        write(version, "session", answer);
        first.topics().forEach(topic -> topic.partitions().getFirst().setFetchOffset(45));
        FetchRequestData second = first.setSessionId(read(answer, version).sessionId())
                .setSessionEpoch(1)
                .setMaxWaitMs(1);
        write(version, "session-goes-on", exchange(socket, version, second));
    }

    private static FetchRequestData request(KafkaCluster cluster, String topic) throws Exception {
        Uuid id = Objects.requireNonNull(cluster.admin()
                        .describeTopics(List.of(topic))
                        .allTopicNames()
                        .get()
                        .get(topic))
                .topicId();
        FetchRequestData request =
                new FetchRequestData().setMaxWaitMs(500).setMinBytes(1).setSessionEpoch(-1);
        request.topics()
                .add(new FetchTopic()
                        .setTopicId(id)
                        .setPartitions(List.of(new FetchPartition().setPartitionMaxBytes(1_000_000))));
        return request;
    }

    private static FetchPartition partition(FetchRequestData request) {
        return request.topics().getFirst().partitions().getFirst();
    }

    private static byte[] exchange(Socket socket, short version, FetchRequestData request) throws IOException {
        RequestHeader header = new RequestHeader(ApiKeys.FETCH, version, "recorder", 1);
        ByteBuffer bytes = RequestUtils.serialize(header.data(), header.headerVersion(), request, version);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(bytes.remaining());
        Channels.newChannel(out).write(bytes);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return answer;
    }

    private static FetchResponseData read(byte[] answer, short version) {
        // Skips the header: the correlation id and empty tags.
        return new FetchResponseData(
                new ByteBufferAccessor(ByteBuffer.wrap(answer).position(Integer.BYTES + 1)), version);
    }

    private void write(short version, String name, byte[] answer) throws IOException {
        Path responses = Files.createDirectories(INPUTS.resolve("responses"));
        Files.write(responses.resolve("v" + version + "-" + name), answer);
        recorded++;
        if (version < LAST_VERSION || name.startsWith("session") || name.endsWith("-all")) {
            return;
        }
        for (var topic : read(answer, version).responses()) {
            if (topic.partitions().getFirst().records() instanceof MemoryRecords records && records.sizeInBytes() > 0) {
                byte[] bytes = new byte[records.sizeInBytes()];
                records.buffer().get(0, bytes);
                Files.write(Files.createDirectories(INPUTS.resolve("batches")).resolve(name), bytes);
            }
        }
    }

    private KafkaProducer<byte[], byte[]> producer(KafkaCluster cluster, Map<String, Object> more) {
        Map<String, Object> config = new HashMap<>(more);
        config.put("bootstrap.servers", cluster.bootstrapServers());
        config.put("batch.size", 1_000_000);
        config.put("linger.ms", 10_000);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void batches(KafkaCluster cluster, String codec) throws Exception {
        String topic = "batches-" + codec;
        cluster.createTopic(topic, BOTH);
        boolean append = codec.equals(APPEND);
        if (append) {
            cluster.admin()
                    .incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, topic),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("message.timestamp.type", "LogAppendTime"),
                                    AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
        try (var producer = producer(cluster, Map.of("compression.type", append ? "none" : codec))) {
            for (int batch = 0; batch < 3; batch++) {
                send(producer, topic, 15);
            }
        }
    }

    private void send(KafkaProducer<byte[], byte[]> producer, String topic, int count) {
        for (int i = 0; i < count; i++) {
            byte[] key = i % 5 == 0 ? null : bytes(random.nextInt(12));
            byte[] value = i % 7 == 0 ? null : bytes(random.nextInt(120));
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, key, value);
            for (int header = i % 4; header > 0; header--) {
                record.headers().add("header" + header, header == 2 ? null : bytes(header * 5));
            }
            var ignored = producer.send(record);
        }
        producer.flush();
    }

    /** Returns random bytes. Half of them are compressible. */
    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        for (int i = 0; i < size; i += 2) {
            bytes[i] = 'x';
        }
        return bytes;
    }

    /** Writes one batch of several compression blocks. Without compression, the batch is smaller. */
    private void largeBatch(KafkaCluster cluster, String codec) {
        String topic = "large-" + codec;
        cluster.createTopic(topic, BOTH);
        byte[] value = "what a codec makes small "
                .repeat(codec.equals("none") ? 400 : 8_000)
                .getBytes(StandardCharsets.US_ASCII);
        try (var producer = producer(cluster, Map.of("compression.type", codec))) {
            var one = producer.send(new ProducerRecord<>(topic, 0, null, value));
            var other = producer.send(new ProducerRecord<>(topic, 0, null, Arrays.copyOf(value, value.length / 3)));
            producer.flush();
            assertThat(one).isDone();
            assertThat(other).isDone();
        }
    }

    /**
     * Writes committed, aborted and interleaved transactions of two producers, with other records between them. One
     * transaction stays open.
     */
    private void transactions(KafkaCluster cluster) {
        cluster.createTopic("transactions", BOTH);
        try (var one = producer(cluster, Map.of("transactional.id", "one"));
                var other = producer(cluster, Map.of("transactional.id", "other", "compression.type", "lz4"));
                var bare = producer(cluster, Map.of())) {
            one.initTransactions();
            other.initTransactions();
            for (int round = 0; round < 4; round++) {
                one.beginTransaction();
                other.beginTransaction();
                send(one, "transactions", 3);
                send(bare, "transactions", 1);
                send(other, "transactions", 3);
                end(one, round % 2 == 0);
                send(other, "transactions", 2);
                end(other, round % 2 == 1);
            }
            one.beginTransaction();
            send(one, "transactions", 2);
            long expected = 4 * 11 + 2;
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> cluster.endOffsets("transactions")
                            .get(new TopicPartition("transactions", 0))
                            .equals(expected));
        }
    }

    private static void end(KafkaProducer<byte[], byte[]> producer, boolean commit) {
        if (commit) {
            producer.commitTransaction();
        } else {
            producer.abortTransaction();
        }
    }
}
