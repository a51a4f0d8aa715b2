package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes and reads the topics for tests of failed records. Stateless. */
final class FailureTopics {

    /** Earlier than the time of writing, but recent enough for the broker to keep the record. */
    static final long TIMESTAMP = System.currentTimeMillis() - 3_600_000;

    private FailureTopics() {}

    static ProducerRecord<byte[], byte[]> record(String topic, String key, byte[] value) {
        return new ProducerRecord<>(topic, null, TIMESTAMP, key.getBytes(UTF_8), value, headers());
    }

    static ProducerRecord<byte[], byte[]> record(String topic, String key, String value) {
        return record(topic, key, value.getBytes(UTF_8));
    }

    /** Returns headers that must be preserved: two with the same name, and one without a value. */
    static List<Header> headers() {
        return List.of(
                new RecordHeader("h", new byte[] {1, 2}),
                new RecordHeader("h", new byte[] {3}),
                new RecordHeader("empty", null));
    }

    @SafeVarargs
    static void produce(KafkaCluster cluster, ProducerRecord<byte[], byte[]>... records) {
        List<ProducerRecord<byte[], byte[]>> all = new ArrayList<>();
        for (ProducerRecord<byte[], byte[]> record : records) {
            all.add(record);
        }
        produceAll(cluster, all);
    }

    static void produceAll(KafkaCluster cluster, List<ProducerRecord<byte[], byte[]>> records) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", cluster.bootstrapServers(), "max.request.size", 20_000_000),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (ProducerRecord<byte[], byte[]> record : records) {
                var ignored = producer.send(record).get();
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static List<ConsumerRecord<byte[], byte[]>> read(KafkaCluster cluster, String topic) {
        return Records.readAll(cluster.bootstrapServers(), topic, IsolationLevel.READ_COMMITTED);
    }

    static List<DeadLetterRecord> deadLetters(KafkaCluster cluster, String topic) {
        return read(cluster, topic).stream().map(DeadLetterRecord::read).toList();
    }

    static String value(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.value(), UTF_8);
    }

    static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), UTF_8);
    }
}
