package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Matching;
import dev.weir.kafka.Subscription.Partitions;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.Subscription.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Asks with an admin client, which is made for the first question. Thread-safe. */
public final class AdminLookup implements Lookup {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final Map<String, Object> config;
    private final ListOffsetsOptions options;
    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private @Nullable Admin admin;
    private boolean closed;

    /**
     * Creates a lookup without a client.
     *
     * @param consumerConfig what the consumer is made with: the same brokers, security and isolation level
     */
    public AdminLookup(Map<String, Object> consumerConfig) {
        config = new HashMap<>(consumerConfig);
        boolean committedOnly =
                "read_committed".equals(String.valueOf(consumerConfig.get(ConsumerConfig.ISOLATION_LEVEL_CONFIG)));
        options =
                new ListOffsetsOptions(committedOnly ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED);
    }

    private Admin admin() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the pipeline has ended");
            }
            if (admin == null) {
                admin = Admin.create(config);
            }
            return admin;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletionStage<Map<TopicPartition, Long>> offsets(Map<TopicPartition, Position> positions) {
        Map<TopicPartition, Long> known = new HashMap<>();
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        positions.forEach((id, position) -> {
            switch (position) {
                case Position.Offset given -> known.put(id, given.offset());
                case Position.Edge.BEGINNING -> wanted.put(id, OffsetSpec.earliest());
                case Position.Edge.END -> wanted.put(id, OffsetSpec.latest());
                case Position.Time time ->
                    wanted.put(id, OffsetSpec.forTimestamp(time.instant().toEpochMilli()));
            }
        });
        return ask(wanted)
                .thenCompose(found -> {
                    Map<TopicPartition, OffsetSpec> younger = new HashMap<>();
                    found.forEach((id, info) -> {
                        if (info.offset() < 0) {
                            // No record is as young as that.
                            younger.put(id, OffsetSpec.latest());
                        } else {
                            known.put(id, info.offset());
                        }
                    });
                    return ask(younger);
                })
                .thenApply(ends -> {
                    ends.forEach((id, info) -> known.put(id, info.offset()));
                    return known;
                });
    }

    private CompletionStage<Map<TopicPartition, ListOffsetsResultInfo>> ask(Map<TopicPartition, OffsetSpec> wanted) {
        if (wanted.isEmpty()) {
            return CompletableFuture.completedStage(Map.of());
        }
        try {
            return admin().listOffsets(wanted, options).all().toCompletionStage();
        } catch (RuntimeException refused) {
            return CompletableFuture.failedStage(refused);
        }
    }

    @Override
    public CompletionStage<Set<TopicPartition>> partitions(Selection selection) {
        return switch (selection) {
            case Partitions given -> CompletableFuture.completedStage(given.ids());
            case Topics topics -> partitionsOf(topics.names());
            case Matching matching -> {
                Pattern pattern = Pattern.compile(matching.regex());
                yield admin().listTopics()
                        .names()
                        .toCompletionStage()
                        .thenCompose(names -> partitionsOf(names.stream()
                                .filter(name -> pattern.matcher(name).matches())
                                .toList()));
            }
        };
    }

    private CompletionStage<Set<TopicPartition>> partitionsOf(Collection<String> topics) {
        return admin().describeTopics(topics)
                .allTopicNames()
                .toCompletionStage()
                .thenApply(described -> described.values().stream()
                        .flatMap(topic -> topic.partitions().stream()
                                .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                        .collect(Collectors.toSet()));
    }

    @Override
    public CompletionStage<Set<String>> topics() {
        return admin().listTopics().names().toCompletionStage();
    }

    /** What a group has committed. */
    public CompletionStage<Map<TopicPartition, Long>> committed(String group) {
        return admin().listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .toCompletionStage()
                .thenApply(offsets -> {
                    Map<TopicPartition, Long> committed = new HashMap<>();
                    offsets.forEach((id, offset) -> {
                        if (offset != null) {
                            committed.put(id, offset.offset());
                        }
                    });
                    return committed;
                });
    }

    @Override
    public void close() {
        Admin closing;
        lock.lock();
        try {
            closed = true;
            closing = admin;
        } finally {
            lock.unlock();
        }
        if (closing != null) {
            closing.close(CLOSE_TIMEOUT);
        }
    }
}
