package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanSettings;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the lean consumer and Kafka's own consumer read the same logs. */
@Timeout(120)
class LeanDifferentialTest {

    private static final int LARGEST = 5 * 1024 * 1024;
    private static final int PARTITIONS = 3;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("log.cleaner.backoff.ms", "200")
            .brokerConfig("message.max.bytes", "12000000"));

    private static void compare(String topic, boolean readCommitted) {
        compare(readCommitted, KAFKA.cluster().endOffsets(topic));
    }

    private static void compare(boolean readCommitted, Map<TopicPartition, Long> ends) {
        LeanSettings settings = LeanSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .readCommitted(readCommitted)
                .build();
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "isolation.level",
                readCommitted ? "read_committed" : "read_uncommitted");
        LeanReading.assertSame(LeanReading.lean(settings, ends), LeanReading.official(config, ends));
    }

    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "max.request.size",
                12_000_000,
                "buffer.memory",
                64_000_000L));
        config.putAll(more);
        // A new leader may refuse an idempotent producer's first batch forever (docs/reference/guarantees.md, limits).
        // Transactions need idempotence nevertheless.
        config.putIfAbsent("enable.idempotence", more.containsKey("transactional.id"));
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, Random random, String topic, int count) {
        for (int i = 0; i < count; i++) {
            // Many small records, few large ones.
            int size = random.nextInt(100) == 0 ? random.nextInt(LARGEST) : random.nextInt(1 << random.nextInt(1, 14));
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    topic,
                    random.nextInt(PARTITIONS),
                    1_700_000_000_000L + random.nextLong(10_000_000_000L),
                    random.nextInt(3) == 0 ? null : bytes(random, random.nextInt(50)),
                    random.nextInt(20) == 0 ? null : bytes(random, size));
            for (int header = random.nextInt(4) - 1; header > 0; header--) {
                record.headers().add("header" + header, random.nextInt(4) == 0 ? null : bytes(random, header * 10));
            }
            var ignored = producer.send(record);
        }
        producer.flush();
    }

    private static byte[] bytes(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        for (int i = 0; i < size; i += 3) {
            bytes[i] = 'x';
        }
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "zstd"})
    void randomRecords_ofEachCodec_areTheSame(String codec) {
        String topic = "random-" + codec;
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        try (var producer = producer(Map.of("compression.type", codec, "linger.ms", 5, "batch.size", 200_000))) {
            send(producer, new Random(codec.hashCode()), topic, 2_000);
        }
        compare(topic, false);
        compare(topic, true);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"gzip", "snappy", "lz4"})
    void randomRecords_ofOtherCodecs_areTheSame(String codec) {
        randomRecords_ofEachCodec_areTheSame(codec);
    }

    @Test
    void timesOfTheBroker_areTheSame() {
        KAFKA.cluster().createTopic("append", PARTITIONS, Map.of("message.timestamp.type", "LogAppendTime"));
        try (var producer = producer(Map.of("compression.type", "lz4"))) {
            send(producer, new Random(3), "append", 500);
        }
        compare("append", false);
    }

    @ParameterizedTest
    @CsvSource({"none,true", "zstd,true", "lz4,false"})
    void transactions_committedAbortedAndOpen_areTheSame(String codec, boolean readCommitted) {
        String topic = "transactions-" + codec;
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        Random random = new Random(5);
        try (var one = producer(Map.of("transactional.id", topic + 1, "compression.type", codec));
                var other = producer(Map.of("transactional.id", topic + 2, "compression.type", codec));
                var bare = producer(Map.of());
                var open = producer(Map.of("transactional.id", topic + 3))) {
            one.initTransactions();
            other.initTransactions();
            open.initTransactions();
            for (int round = 0; round < 15; round++) {
                one.beginTransaction();
                other.beginTransaction();
                send(one, random, topic, 20);
                send(bare, random, topic, 5);
                send(other, random, topic, 20);
                end(one, random.nextBoolean());
                send(other, random, topic, 10);
                end(other, random.nextBoolean());
            }
            Map<TopicPartition, Long> stable = KAFKA.cluster().endOffsets(topic);
            open.beginTransaction();
            send(open, random, topic, 10);
            send(bare, random, topic, 10);
            compare(readCommitted, readCommitted ? stable : KAFKA.cluster().endOffsets(topic));
            open.abortTransaction();
        }
    }

    private static void end(KafkaProducer<byte[], byte[]> producer, boolean commit) {
        if (commit) {
            producer.commitTransaction();
        } else {
            producer.abortTransaction();
        }
    }

    @Test
    void compactedLog_isTheSame() {
        KAFKA.cluster()
                .createTopic(
                        "compacted",
                        1,
                        Map.of(
                                "cleanup.policy", "compact",
                                "segment.ms", "100",
                                "min.cleanable.dirty.ratio", "0.01"));
        Map<TopicPartition, Long> all = Map.of(new TopicPartition("compacted", 0), 0L);
        try (var producer = producer(Map.of("compression.type", "lz4"))) {
            for (int round = 0; round < 20; round++) {
                for (int key = 0; key < 50; key++) {
                    byte[] name = ("key" + key % (10 + round)).getBytes(StandardCharsets.US_ASCII);
                    var ignored = producer.send(
                            new ProducerRecord<>("compacted", 0, name, round % 5 == 0 ? null : new byte[round]));
                }
                producer.flush();
            }
            Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> {
                // Starts a new segment, because the cleaner skips the last one.
                var ignored = producer.send(new ProducerRecord<>("compacted", 0, new byte[1], new byte[1]));
                producer.flush();
                Map<TopicPartition, Long> ends = KAFKA.cluster().endOffsets("compacted");
                List<ConsumerRecord<byte[], byte[]>> left = LeanReading.official(
                                Map.of("bootstrap.servers", KAFKA.bootstrapServers()), ends)
                        .get(all.keySet().iterator().next());
                return left.size() < 500;
            });
        }
        compare("compacted", false);
        compare("compacted", true);
    }

    @Test
    void logWithADeletedHead_isTheSame() throws Exception {
        KAFKA.cluster().createTopic("headless", PARTITIONS);
        try (var producer = producer(Map.of())) {
            send(producer, new Random(9), "headless", 1_000);
        }
        KAFKA.cluster()
                .admin()
                .deleteRecords(Map.of(new TopicPartition("headless", 1), RecordsToDelete.beforeOffset(101)))
                .all()
                .get();
        compare("headless", false);
        assertThat(KAFKA.cluster().endOffsets("headless").get(new TopicPartition("headless", 1)))
                .isGreaterThan(101);
    }
}
