package dev.weir.bench.cluster;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads all records of a topic. Stateless. */
final class WrittenTopic {
    private static final Duration POLL = Duration.ofMillis(100);

    private WrittenTopic() {}

    /**
     * Creates a consumer for {@link #read}.
     *
     * @param connection properties that a client needs to reach the brokers
     * @param isolation {@code read_committed} or {@code read_uncommitted}
     */
    static Consumer<byte[], byte[]> consumer(Map<String, String> connection, String isolation) {
        Map<String, Object> config = new HashMap<>(connection);
        config.put("isolation.level", isolation);
        config.put("enable.auto.commit", "false");
        config.put("max.poll.records", "100000");
        config.put("max.partition.fetch.bytes", Integer.toString(8 << 20));
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /**
     * Reads partitions from their beginning.
     *
     * @param ends the end offset of each partition
     * @param patienceNanos longest wait for the next record
     * @throws org.apache.kafka.common.KafkaException if a partition cannot be read up to its end
     */
    static void read(
            Consumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> ends,
            long patienceNanos,
            java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        consumer.assign(ends.keySet());
        consumer.seekToBeginning(ends.keySet());
        long lastNanos = System.nanoTime();
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            records.forEach(each);
            if (!records.isEmpty()) {
                lastNanos = System.nanoTime();
            } else if (System.nanoTime() - lastNanos >= patienceNanos) {
                throw new TimeoutException("nothing came for " + TimeUnit.NANOSECONDS.toSeconds(patienceNanos) + " s");
            }
        }
    }
}
