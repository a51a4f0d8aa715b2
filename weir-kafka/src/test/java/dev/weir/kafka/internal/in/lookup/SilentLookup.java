package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.spi.Lookup;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A lookup whose queries are never answered. Thread-safe. */
public class SilentLookup implements Lookup {

    @Override
    public Map<TopicPartition, CompletionStage<Long>> offsets(
            Map<TopicPartition, Position> positions, Duration within) {
        Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
        positions.keySet().forEach(id -> answers.put(id, new CompletableFuture<>()));
        return answers;
    }

    @Override
    public CompletionStage<Described> partitions(Selection selection) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Set<String>> topics() {
        return new CompletableFuture<>();
    }

    @Override
    public void close() {}
}
