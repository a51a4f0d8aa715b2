package dev.weir.checks.integration.plants;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The broker shared by all planted pipelines, and topics shared by their readers. */
final class Bed {

    static final int PARTITIONS = 3;
    static final int KEYS = 5_000;
    private static final int RECORDS = 200_000;
    private static final int SMALL_BYTES = 100;

    private final KafkaCluster cluster;
    private final Set<String> filled = new HashSet<>();
    private final AtomicInteger names = new AtomicInteger();

    Bed(KafkaCluster cluster) {
        this.cluster = cluster;
    }

    KafkaCluster cluster() {
        return cluster;
    }

    String fresh(String kind) {
        return kind + "-" + names.incrementAndGet();
    }

    String empty(String kind) {
        String topic = fresh(kind);
        cluster.createTopic(topic, PARTITIONS);
        return topic;
    }

    /** Fills a topic with records of 100 bytes and many keys. */
    String even() {
        return fill("even", RECORDS, SMALL_BYTES, n -> new ProducerRecord<>("even", key(n % KEYS), null));
    }

    String hotKey(int percent) {
        String topic = "hot-" + percent;
        return fill(
                topic,
                RECORDS / 2,
                SMALL_BYTES,
                n -> new ProducerRecord<>(topic, scrambled(n) % 100 < percent ? bytes("whale") : key(n % KEYS), null));
    }

    /** Fills a topic in which nine of ten records are in partition 1. */
    String hotPartition() {
        return fill(
                "hot-partition",
                RECORDS / 2,
                SMALL_BYTES,
                n -> new ProducerRecord<>(
                        "hot-partition", scrambled(n) % 100 < 90 ? 1 : n % 2 * 2, key(n % KEYS), null));
    }

    String large(int kilobytes) {
        String topic = "large-" + kilobytes;
        return fill(
                topic, 120_000 / kilobytes, kilobytes * 1024, n -> new ProducerRecord<>(topic, key(n % KEYS), null));
    }

    static int scrambled(int n) {
        return (int) ((n * 0x9E3779B97F4A7C15L) >>> 34);
    }

    private static byte[] key(int n) {
        return bytes("key-" + n);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String fill(String topic, int records, int size, IntFunction<ProducerRecord<byte[], byte[]>> record) {
        if (filled.add(topic)) {
            cluster.createTopic(topic, PARTITIONS);
            byte[] value = new byte[size];
            try (KafkaProducer<byte[], byte[]> producer = producer()) {
                for (int i = 0; i < records; i++) {
                    ProducerRecord<byte[], byte[]> each = record.apply(i);
                    var unused = producer.send(new ProducerRecord<>(each.topic(), each.partition(), each.key(), value));
                }
                producer.flush();
            }
        }
        return topic;
    }

    /** Sends one request at a time, because a new leader may refuse the first batch and accept the second. */
    KafkaProducer<byte[], byte[]> producer() {
        Map<String, Object> config = Map.of(
                "bootstrap.servers", cluster.bootstrapServers(),
                "max.in.flight.requests.per.connection", 1,
                "linger.ms", 5,
                "batch.size", 131_072);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    ConsumerSettings.Builder<byte[], byte[]> settings(FetchPath path) {
        return ConsumerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(fresh("group"))
                .fetch(path)
                .commitInterval(Duration.ofMillis(200));
    }
}
