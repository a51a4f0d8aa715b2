package dev.weir.driver;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts the records of each poll of a library's consumer. Kafka's client creates this interceptor by class name (see
 * {@link ClientConfig#consumerOfLibrary}) and calls it for polls with records. Thread-safe.
 */
public final class PolledRecords implements ConsumerInterceptor<Object, Object> {

    /** Called by Kafka's client. */
    public PolledRecords() {}

    @Override
    public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
        PollSizes.OF_PROCESS.polledByLibrary(records.count());
        return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void configure(Map<String, ?> configs) {}

    @Override
    public void close() {}
}
