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
import org.apache.kafka.common.config.ConfigDef;

/**
 * Queries brokers for topics, partitions, offsets and groups without blocking. Thread-safe. The returned completion
 * stages complete on a Kafka client thread, so code that depends on them must not block that thread for long. If no
 * broker responds, the client retries for {@code default.api.timeout.ms}, after which the completion stage fails with
 * Kafka's exception. Other failures are reported immediately.
 */
public final class MetadataClient implements AutoCloseable {

    private static final Duration LAG_TIMEOUT = Duration.ofSeconds(5);

    private final AdminLookup lookup;

    private final Duration timeout;

    private MetadataClient(AdminLookup lookup, Duration timeout) {
        this.lookup = lookup;
        this.timeout = timeout;
    }

    /** Creates a client that uses the brokers, security settings and isolation level of a consumer. */
    public static MetadataClient of(ConsumerSettings<?, ?> settings) {
        Object timeout = settings.clientConfig().getOrDefault(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 60_000);
        return new MetadataClient(new AdminLookup(settings.clientConfig()), Duration.ofMillis((Integer)
                ConfigDef.parseType(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeout, ConfigDef.Type.INT)));
    }

    /** Returns the names of all topics except Kafka's internal topics. */
    public CompletionStage<Set<String>> topics() {
        return lookup.topics();
    }

    /**
     * Returns the current partitions of a subscription. If the subscription names a topic that does not exist, the
     * stage fails with an exception that names the topic.
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
     * Returns the offset to which each position currently resolves. Fails if any of the positions cannot be resolved;
     * {@link #offsetsOfEach} resolves each position independently.
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
     * Returns the offset to which each position currently resolves, as one stage per partition, so that one failure
     * does not affect the other partitions. If a partition has no leader or does not exist, its stage fails immediately
     * with a retriable Kafka exception; other failures are reported after {@code default.api.timeout.ms}.
     */
    public Map<TopicPartition, CompletionStage<Long>> offsetsOfEach(Map<TopicPartition, Position> positions) {
        return lookup.offsets(Map.copyOf(Objects.requireNonNull(positions, "positions")), timeout);
    }

    /**
     * Returns the current id of each topic, or {@link Uuid#ZERO_UUID} if the brokers do not support topic ids. A topic
     * that is deleted and recreated gets another id. There is one stage per topic, so that one failure does not affect
     * the other topics.
     */
    public Map<String, CompletionStage<Uuid>> topicIds(Set<String> topics) {
        return lookup.topicIds(Set.copyOf(Objects.requireNonNull(topics, "topics")), timeout);
    }

    /** Returns the committed offsets of a group, or an empty map if the group does not exist. */
    public CompletionStage<Map<TopicPartition, Long>> committed(String group) {
        return lookup.committed(Objects.requireNonNull(group, "group"));
    }

    /**
     * Returns a group's lag for each partition with a committed offset: the number of records between the committed
     * offset and the current end of the partition. The lag is -1 if no broker reports the partition's end within 5 s.
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
