package dev.weir.kafka.internal.lookup;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.spi.Surroundings;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** A consumer's questions and its time where it meets something else than Kafka. As thread-safe as that. */
public record Elsewhere(Surroundings surroundings) implements Lookup, OwnerClock {

    @Override
    public CompletionStage<Set<String>> topics() {
        return surroundings.topics();
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> offsets(
            Map<TopicPartition, Position> positions, Duration within) {
        return surroundings.offsets(positions);
    }

    @Override
    public CompletionStage<Described> partitions(Selection selection) {
        return surroundings.partitions(selection).thenApply(ids -> new Described(ids, Map.of()));
    }

    @Override
    public Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
        return topics.stream().collect(Collectors.toMap(name -> name, surroundings::topicId));
    }

    @Override
    public CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group) {
        return surroundings.commits(group);
    }

    @Override
    public void close() {}

    @Override
    public long nanoTime() {
        return surroundings.nanoTime();
    }

    @Override
    public void park(long nanos) {
        surroundings.park(nanos);
    }
}
