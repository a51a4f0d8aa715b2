package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a log was truncated and rewritten before a committed position; see {@link Lookup#divergentOffsets}.
 * Thread-safe.
 *
 * <p>If the leader's epoch equals the position's epoch, no records were replaced. If the leader's epoch is later, a
 * temporary consumer without a group asks the leader for the end offset of the position's epoch.
 */
final class LogComparison {

    private static final int NO_EPOCH = -1;

    private final Map<TopicPartition, OffsetAndMetadata> positions;
    private final Duration within;
    private final long endNanos;
    private final Map<TopicPartition, CompletableFuture<Long>> answers = new HashMap<>();

    /** Positions whose epoch is earlier than the leader's. Only the temporary consumer can check them. */
    private final Map<TopicPartition, OffsetAndMetadata> earlier = new ConcurrentHashMap<>();

    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    LogComparison(Map<TopicPartition, OffsetAndMetadata> positions, Duration within) {
        this.positions = Map.copyOf(positions);
        this.within = within;
        this.endNanos = System.nanoTime() + within.toNanos();
        positions.keySet().forEach(id -> answers.put(id, new CompletableFuture<>()));
    }

    /**
     * Starts the comparison.
     *
     * @param config the configuration of a consumer of the same brokers
     */
    Map<TopicPartition, CompletionStage<Long>> ask(Admin admin, Map<String, Object> config) {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        positions.keySet().forEach(id -> ends.put(id, OffsetSpec.latest()));
        var options = new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED).timeoutMs((int) within.toMillis());
        ListOffsetsResult newest = admin.listOffsets(ends, options);
        CompletableFuture<?>[] told = positions.keySet().stream()
                .map(id -> newest.partitionResult(id)
                        .toCompletionStage()
                        .handle((end, failure) -> told(id, end, failure))
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        var ignored = CompletableFuture.allOf(told).thenRun(() -> {
            if (!earlier.isEmpty()) {
                Thread comparing =
                        Thread.ofPlatform().daemon().name("weir-log-comparison").unstarted(() -> compare(config));
                thread.set(comparing);
                comparing.start();
            }
        });
        Map<TopicPartition, CompletionStage<Long>> stages = new HashMap<>();
        answers.forEach((id, answer) -> stages.put(id, answer.minimalCompletionStage()));
        return stages;
    }

    boolean isDone() {
        return answers.values().stream().allMatch(CompletableFuture::isDone);
    }

    /** Cancels the comparison without waiting. Pending results fail. */
    void cancel() {
        Thread comparing = thread.get();
        if (comparing != null) {
            comparing.interrupt();
        }
    }

    private Duration left() {
        return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    }

    /**
     * Compares the leader's epoch with the position's epoch. If an old broker reports no epoch, the temporary consumer
     * checks the position.
     */
    private boolean told(TopicPartition id, @Nullable ListOffsetsResultInfo end, @Nullable Throwable failure) {
        if (end == null) {
            return failed(id, Thrown.unwrapped(failure == null ? new TimeoutException("no answer") : failure));
        }
        OffsetAndMetadata position = Objects.requireNonNull(positions.get(id));
        int epoch = position.leaderEpoch().orElse(NO_EPOCH);
        int leaders = end.leaderEpoch().orElse(Integer.MAX_VALUE);
        if (NO_EPOCH < epoch && epoch < leaders) {
            earlier.put(id, position);
            return false;
        }
        return answer(id, epoch > leaders ? Lookup.UNKNOWN_EPOCH : position.offset());
    }

    private CompletableFuture<Long> answer(TopicPartition id) {
        return Objects.requireNonNull(answers.get(id));
    }

    private boolean answer(TopicPartition id, long offset) {
        return answer(id).complete(offset);
    }

    private boolean failed(TopicPartition id, Throwable failure) {
        return answer(id).completeExceptionally(failure);
    }

    private void compare(Map<String, Object> config) {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(configOf(config), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            Set<TopicPartition> open = new HashSet<>(earlier.keySet());
            consumer.assign(open);
            // Makes the consumer look up the leaders, because it verifies a position only if it knows the partition's
            // leader.
            var ignored = consumer.endOffsets(open, left());
            earlier.forEach(consumer::seek);
            while (!open.isEmpty()) {
                TopicPartition next = open.iterator().next();
                try {
                    answer(next, consumer.position(next, left()));
                    open.remove(next);
                } catch (LogTruncationException truncated) {
                    for (TopicPartition id : truncated.partitions()) {
                        OffsetAndMetadata divergent =
                                truncated.divergentOffsets().get(id);
                        answer(id, divergent == null ? Lookup.UNKNOWN_EPOCH : divergent.offset());
                    }
                    open.removeAll(truncated.partitions());
                    consumer.assign(open);
                }
            }
        } catch (Throwable failure) {
            earlier.keySet().forEach(id -> failed(id, failure));
        }
    }

    /**
     * Returns the configuration of the temporary consumer: no group, and no offset reset, which would hide the result.
     */
    private static Map<String, Object> configOf(Map<String, Object> config) {
        Map<String, Object> own = new HashMap<>(config);
        own.keySet()
                .removeAll(Set.of(
                        ConsumerConfig.GROUP_ID_CONFIG,
                        ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                        ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
                        ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
                        ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG));
        own.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
        own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        Object name = config.get(ConsumerConfig.CLIENT_ID_CONFIG);
        own.put(ConsumerConfig.CLIENT_ID_CONFIG, (name == null || "".equals(name) ? "weir" : name) + "-log-comparison");
        return own;
    }
}
