package dev.weir.checks.integration;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes records with values like {@code new:17}: the era, and the record's number within it. Only the leader
 * acknowledges them. Confined to one thread.
 */
final class LostLogWriter implements AutoCloseable {

    private final KafkaProducer<byte[], byte[]> producer;

    LostLogWriter(String bootstrapServers) {
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "acks", "1",
                        "enable.idempotence", "false",
                        "request.timeout.ms", "5000",
                        "max.in.flight.requests.per.connection", "1"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    void write(TopicPartition to, String era, int records) throws InterruptedException, ExecutionException {
        Future<RecordMetadata> last = null;
        for (int n = 0; n < records; n++) {
            byte[] value = (era + ":" + n).getBytes(StandardCharsets.US_ASCII);
            last = producer.send(new ProducerRecord<>(to.topic(), to.partition(), null, value));
        }
        if (last != null) {
            last.get();
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
