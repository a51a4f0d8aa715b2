package dev.weir.kafka;

import dev.weir.kafka.internal.consumer.AdminLookup;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks brokers about topics, partitions, offsets and groups, without waiting. Thread-safe; answers come on a thread of
 * Kafka's, where they should not be kept for long. Errors that pass are retried by the client, up to its {@code
 * default.api.timeout.ms}; then, and at once for others, a stage completes with Kafka's exception.
 */
public final class MetadataClient implements AutoCloseable {

    private final AdminLookup lookup;

    private MetadataClient(AdminLookup lookup) {
        this.lookup = lookup;
    }

    /** A client of its own, made with the brokers, security and isolation level of a consumer. */
    public static MetadataClient of(ConsumerSettings<?, ?> settings) {
        return new MetadataClient(new AdminLookup(settings.clientConfig()));
    }

    /** The names of all topics but Kafka's own. */
    public CompletionStage<Set<String>> topics() {
        return lookup.topics();
    }

    /** The partitions that a subscription has now; fails if a named topic does not exist. */
    public CompletionStage<Set<TopicPartition>> partitions(Subscription subscription) {
        return lookup.partitions(subscription.selection());
    }

    /** The offset behind each position now. */
    public CompletionStage<Map<TopicPartition, Long>> offsets(Map<TopicPartition, Position> positions) {
        return lookup.offsets(Map.copyOf(Objects.requireNonNull(positions, "positions")));
    }

    /** What a group has committed; nothing for a group that does not exist. */
    public CompletionStage<Map<TopicPartition, Long>> committed(String group) {
        return lookup.committed(Objects.requireNonNull(group, "group"));
    }

    /** Records between what a group has committed and the ends of those partitions now. */
    public CompletionStage<Map<TopicPartition, Long>> lag(String group) {
        return committed(group).thenCompose(committed -> {
            Map<TopicPartition, Position> ends = new HashMap<>();
            committed.keySet().forEach(id -> ends.put(id, Position.end()));
            return offsets(ends).thenApply(offsets -> {
                Map<TopicPartition, Long> lag = new HashMap<>();
                committed.forEach((id, offset) -> lag.put(id, Math.max(0, offsets.getOrDefault(id, offset) - offset)));
                return lag;
            });
        });
    }

    @Override
    public void close() {
        lookup.close();
    }
}
