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
 * Queries brokers for topics, partitions, offsets and groups without blocking. Thread-safe. Completion stages complete
 * on a thread of Kafka's client, which must not be blocked for long. If no broker responds, the client retries for
 * {@code default.api.timeout.ms}, and then the completion stage fails with Kafka's exception. Other failures are
 * reported immediately.
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
     * Returns the current partitions of a subscription. If a named topic does not exist, the stage fails with an
     * exception that names it.
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
     * Returns the current offset of each position. Fails if one of the positions cannot be resolved; see
     * {@link #offsetsOfEach}.
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
     * Returns the current offset of each position, as one stage per partition. If a partition has no leader or does not
     * exist, its stage fails immediately with a retriable Kafka exception; other failures are reported after
     * {@code default.api.timeout.ms}.
     */
    public Map<TopicPartition, CompletionStage<Long>> offsetsOfEach(Map<TopicPartition, Position> positions) {
        return lookup.offsets(Map.copyOf(Objects.requireNonNull(positions, "positions")), timeout);
    }

    /**
     * Returns the current id of each topic, or {@link Uuid#ZERO_UUID} if the brokers do not support topic ids. A
     * recreated topic has another id. There is one stage per topic.
     */
    public Map<String, CompletionStage<Uuid>> topicIds(Set<String> topics) {
        return lookup.topicIds(Set.copyOf(Objects.requireNonNull(topics, "topics")), timeout);
    }

    /** Returns the committed offsets of a group, or an empty map if the group does not exist. */
    public CompletionStage<Map<TopicPartition, Long>> committed(String group) {
        return lookup.committed(Objects.requireNonNull(group, "group"));
    }

    /**
     * Returns a group's lag for each partition with a committed offset: the number of records after this offset. The
     * lag is -1 if no broker reports the partition's end within 5 s.
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
