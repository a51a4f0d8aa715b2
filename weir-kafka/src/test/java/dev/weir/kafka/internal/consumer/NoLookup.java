package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/** Brokers that never answer. Stateless. */
final class NoLookup implements Lookup {

    @Override
    public CompletionStage<Map<TopicPartition, Long>> offsets(Map<TopicPartition, Position> positions) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Set<TopicPartition>> partitions(Selection selection) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Set<String>> topics() {
        return new CompletableFuture<>();
    }

    @Override
    public void close() {}
}
