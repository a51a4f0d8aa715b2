package dev.weir.testkit.internal.simulation;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.spi.Lookup;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Answers queries from the logs of a simulation. Confined to the simulation's thread. */
final class SimulatedLookup implements Lookup {

    private final Map<TopicPartition, PartitionLog> logs;

    SimulatedLookup(Map<TopicPartition, PartitionLog> logs) {
        this.logs = logs;
    }

    @Override
    public CompletionStage<Set<String>> topics() {
        return CompletableFuture.completedStage(
                logs.keySet().stream().map(TopicPartition::topic).collect(Collectors.toSet()));
    }

    @Override
    public CompletionStage<Described> partitions(Selection selection) {
        Set<TopicPartition> ids = switch (selection) {
            case Subscription.Partitions given -> given.ids();
            case Subscription.Topics topics -> partitionsOf(topics.names()::contains);
            case Subscription.Matching matching ->
                partitionsOf(Pattern.compile(matching.regex()).asMatchPredicate());
        };
        return CompletableFuture.completedStage(new Described(ids, Map.of()));
    }

    private Set<TopicPartition> partitionsOf(Predicate<String> topics) {
        return logs.keySet().stream().filter(id -> topics.test(id.topic())).collect(Collectors.toSet());
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> offsets(
            Map<TopicPartition, Position> positions, Duration within) {
        Map<TopicPartition, CompletionStage<Long>> offsets = new HashMap<>();
        positions.forEach((id, position) -> offsets.put(id, CompletableFuture.completedStage(offset(id, position))));
        return offsets;
    }

    private long offset(TopicPartition id, Position position) {
        return switch (position) {
            case Position.Offset given -> given.offset();
            case Position.Edge.BEGINNING -> 0L;
            case Position.Edge.END -> end(id);
            // A record's timestamp is its offset, unless the user's record maker sets another.
            case Position.Time time -> Math.min(time.instant().toEpochMilli(), end(id));
        };
    }

    private long end(TopicPartition id) {
        return Objects.requireNonNull(logs.get(id), () -> "no such partition in this simulation: " + id)
                .end();
    }

    @Override
    public CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group) {
        Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
        logs.forEach((id, log) -> {
            OffsetAndMetadata commit = log.commit();
            if (commit != null) {
                commits.put(id, commit);
            }
        });
        return CompletableFuture.completedStage(commits);
    }

    @Override
    public void close() {}
}
