package dev.weir.bench.cluster;

import dev.weir.bench.RunFailure;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts the committed records of a topic by reading it, because offsets also count transaction markers and aborted
 * records. Stateless.
 */
final class CommittedRecords {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private CommittedRecords() {}

    /**
     * Returns the current number of records.
     *
     * @param connection properties that a client needs to reach the brokers
     */
    static long count(Map<String, String> connection, String topic) {
        try (Consumer<byte[], byte[]> consumer = WrittenTopic.consumer(connection, "read_committed")) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            long[] count = new long[1];
            WrittenTopic.read(consumer, consumer.endOffsets(partitions), PATIENCE_NANOS, record -> count[0]++);
            return count[0];
        } catch (KafkaException e) {
            throw new RunFailure("what was written to " + topic + " could not be counted: " + e);
        }
    }
}
