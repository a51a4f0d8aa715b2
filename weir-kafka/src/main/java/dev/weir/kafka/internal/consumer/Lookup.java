package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/** Questions to the brokers which the owner thread must not wait for. Thread-safe; answers come on any thread. */
public interface Lookup extends AutoCloseable {

    /** The offset behind each position now. */
    CompletionStage<Map<TopicPartition, Long>> offsets(Map<TopicPartition, Position> positions);

    /** The partitions that a selection has now; none of a topic that does not exist, if the selection is a pattern. */
    CompletionStage<Set<TopicPartition>> partitions(Selection selection);

    /** The names of all topics but Kafka's own. */
    CompletionStage<Set<String>> topics();

    @Override
    void close();
}
