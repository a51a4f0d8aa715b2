package dev.weir.kafka;

import dev.weir.kafka.internal.in.lookup.AdminLookup;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Queries brokers for topics, partitions, offsets and groups without blocking. Thread-safe; stages complete on a Kafka
 * client thread, which must not be blocked for long. If no broker answers, the client retries for
 * {@code default.api.timeout.ms}. After that, and immediately on other failures, a stage completes with Kafka's
 * exception.
 */
public final class MetadataClient implements AutoCloseable {

    private static final Duration LAG_TIMEOUT = Duration.ofSeconds(5);

    private final AdminLookup lookup;

    private final Duration timeout;

    private MetadataClient(AdminLookup lookup, Duration timeout) {
        this.lookup = lookup;
        this.timeout = timeout;
    }

    /** Creates a client with the brokers, security and isolation level of a consumer. */
    public static MetadataClient of(ConsumerSettings<?, ?> settings) {
        Object timeout = settings.clientConfig().getOrDefault(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 60_000);
        return new MetadataClient(
                new AdminLookup(settings.clientConfig()),
                Duration.ofMillis(Long.parseLong(String.valueOf(timeout).strip())));
    }

    /** The names of all topics except Kafka's internal ones. */
    public CompletionStage<Set<String>> topics() {
        return lookup.topics();
    }

    /**
     * The partitions that a subscription currently has; fails with the topic's name if a named topic does not exist.
     */
    public CompletionStage<Set<TopicPartition>> partitions(Subscription subscription) {
        return lookup.partitions(subscription.selection())
                .thenCompose(found -> found.failures().entrySet().stream()
                        .findFirst()
                        .<CompletionStage<Set<TopicPartition>>>map(
                                first -> CompletableFuture.failedStage(first.getValue()))
                        .orElseGet(() -> CompletableFuture.completedStage(found.ids())));
    }

    /**
     * The offset to which each position resolves now. Fails if no broker can answer for one of them;
     * {@link #offsetsOfEach} still answers for the others.
     */
    public CompletionStage<Map<TopicPartition, Long>> offsets(Map<TopicPartition, Position> positions) {
        CompletionStage<Map<TopicPartition, Long>> all = CompletableFuture.completedStage(Map.of());
        for (var each : offsetsOfEach(positions).entrySet()) {
            all = all.thenCombine(each.getValue(), (before, offset) -> {
                Map<TopicPartition, Long> with = before.isEmpty() ? new HashMap<>() : before;
                with.put(each.getKey(), offset);
                return with;
            });
        }
        return all;
    }

    /**
     * The offset to which each position resolves now, one stage per partition, so that one failure does not affect the
     * others. A partition without a leader, or one that does not exist, fails immediately with a retriable Kafka
     * exception; otherwise the failure comes after {@code default.api.timeout.ms}.
     */
    public Map<TopicPartition, CompletionStage<Long>> offsetsOfEach(Map<TopicPartition, Position> positions) {
        return lookup.offsets(Map.copyOf(Objects.requireNonNull(positions, "positions")), timeout);
    }

    /**
     * The current id of each topic, which differs after a topic is deleted and recreated; {@link Uuid#ZERO_UUID} where
     * brokers have none. One stage per topic, so that one failure does not affect the others.
     */
    public Map<String, CompletionStage<Uuid>> topicIds(Set<String> topics) {
        return lookup.topicIds(Set.copyOf(Objects.requireNonNull(topics, "topics")), timeout);
    }

    /** The committed offsets of a group; none for a group that does not exist. */
    public CompletionStage<Map<TopicPartition, Long>> committed(String group) {
        return lookup.committed(Objects.requireNonNull(group, "group"));
    }

    /**
     * Records between a group's committed offsets and the current ends of those partitions; -1 for a partition whose
     * end no broker reports within 5 s.
     */
    public CompletionStage<Map<TopicPartition, Long>> lag(String group) {
        return committed(group).thenCompose(committed -> {
            Map<TopicPartition, Position> ends = new HashMap<>();
            committed.keySet().forEach(id -> ends.put(id, Position.end()));
            CompletionStage<Map<TopicPartition, Long>> all = CompletableFuture.completedStage(new HashMap<>());
            for (var each : lookup.offsets(ends, LAG_TIMEOUT).entrySet()) {
                long from = committed.getOrDefault(each.getKey(), 0L);
                all = all.thenCombine(each.getValue().exceptionally(unknown -> -1L), (lag, end) -> {
                    lag.put(each.getKey(), end < 0 ? -1 : Math.max(0, end - from));
                    return lag;
                });
            }
            return all;
        });
    }

    @Override
    public void close() {
        lookup.close();
    }
}
