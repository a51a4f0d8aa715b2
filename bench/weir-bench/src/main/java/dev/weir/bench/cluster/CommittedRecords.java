package dev.weir.bench.cluster;

import dev.weir.bench.RunFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Counts the records of a topic by reading it, without records of aborted transactions. Transaction markers and aborted
 * records have offsets too, so offsets do not give the count. Stateless.
 */
final class CommittedRecords {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private CommittedRecords() {}

    /**
     * Returns the current number of records.
     *
     * @param connection properties that a client needs to reach the brokers
     */
    static long count(Map<String, String> connection, String topic) {
        Map<String, Object> config = new HashMap<>(connection);
        config.put("isolation.level", "read_committed");
        config.put("enable.auto.commit", "false");
        config.put("max.poll.records", "100000");
        config.put("max.partition.fetch.bytes", Integer.toString(8 << 20));
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long count = 0;
            long lastNanos = System.nanoTime();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                int more = consumer.poll(POLL).count();
                count += more;
                if (more > 0) {
                    lastNanos = System.nanoTime();
                } else if (System.nanoTime() - lastNanos > PATIENCE_NANOS) {
                    throw new RunFailure("what was written to " + topic + " could not be counted: nothing came for "
                            + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
                }
            }
            return count;
        } catch (KafkaException e) {
            throw new RunFailure("what was written to " + topic + " could not be counted: " + e);
        }
    }
}
