package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/** Brokers that nobody asks. Stateless. */
final class NoLookup implements Lookup {

    @Override
    public CompletionStage<Map<TopicPartition, Long>> offsets(Map<TopicPartition, Position> positions) {
        throw new AssertionError("asked for " + positions);
    }

    @Override
    public CompletionStage<Set<TopicPartition>> partitions(Selection selection) {
        throw new AssertionError("asked for " + selection);
    }
}
