package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.internal.in.lookup.SilentLookup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** A lookup of topics whose state a test sets. Answers at once. Confined to one thread. */
final class TopicLookup extends SilentLookup {

    /** The offsets of a partition's log. */
    record Log(long beginning, long end) {}

    /** The id of each topic that exists. */
    final Map<String, Uuid> ids = new HashMap<>();

    final Map<TopicPartition, Log> logs = new HashMap<>();

    /** The first offset at which a log differs from the log that was read. */
    final Map<TopicPartition, Long> divergent = new HashMap<>();

    final Map<TopicPartition, Long> highWatermarks = new HashMap<>();

    final Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();

    /** Failures of single topics that {@link #partitions} reports. */
    final Map<String, Throwable> failures = new HashMap<>();

    /** Fails all queries if not null. */
    @Nullable
    RuntimeException failure;

    /** The topics of each query for topic ids. */
    final List<Set<String>> idQueries = new ArrayList<>();

    final List<Map<TopicPartition, Position>> offsetQueries = new ArrayList<>();

    /** The positions of each query for the first different offset. */
    final List<Map<TopicPartition, OffsetAndMetadata>> epochQueries = new ArrayList<>();

    /** The timeout of each query for offsets. */
    final List<Duration> timeouts = new ArrayList<>();

    /** Collects the responses of {@link #partitions} if not null. The test runs them. */
    @Nullable
    List<Runnable> heldResponses;

    int partitionQueries;
    int commitQueries;

    private <T> CompletionStage<T> answer(@Nullable T found) {
        if (failure != null) {
            return CompletableFuture.failedStage(failure);
        }
        return found == null
                ? CompletableFuture.failedStage(new UnknownTopicOrPartitionException("no such topic"))
                : CompletableFuture.completedStage(found);
    }

    @Override
    public Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
        idQueries.add(Set.copyOf(topics));
        return topics.stream().collect(Collectors.toMap(name -> name, name -> answer(ids.get(name))));
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> offsets(
            Map<TopicPartition, Position> positions, Duration within) {
        offsetQueries.add(Map.copyOf(positions));
        timeouts.add(within);
        Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
        positions.forEach((id, position) -> {
            Log log = logs.get(id);
            answers.put(
                    id,
                    answer(
                            log == null
                                    ? null
                                    : switch (position) {
                                        case Position.Offset given -> (Long) given.offset();
                                        case Position.Edge.BEGINNING -> (Long) log.beginning;
                                        default -> (Long) log.end;
                                    }));
        });
        return answers;
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> highWatermarks(Collection<TopicPartition> ids, Duration within) {
        return ids.stream()
                .filter(highWatermarks::containsKey)
                .collect(Collectors.toMap(id -> id, id -> answer(highWatermarks.get(id))));
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> divergentOffsets(
            Map<TopicPartition, OffsetAndMetadata> positions, Duration within) {
        epochQueries.add(Map.copyOf(positions));
        Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
        positions.forEach((id, position) -> answers.put(id, answer(divergent.getOrDefault(id, position.offset()))));
        return answers;
    }

    @Override
    public CompletionStage<Described> partitions(Selection selection) {
        partitionQueries++;
        CompletionStage<Described> answer = answer(new Described(Set.copyOf(logs.keySet()), Map.copyOf(failures)));
        if (heldResponses == null) {
            return answer;
        }
        CompletableFuture<Described> held = new CompletableFuture<>();
        heldResponses.add(() -> answer.thenAccept(held::complete));
        return held;
    }

    @Override
    public CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group) {
        commitQueries++;
        return answer(Map.copyOf(commits));
    }
}
