package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.internal.in.owner.SimulatedEvent.Planted;
import dev.weir.kafka.spi.Lookup;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;

/** Answers queries for positions when the simulation says so. Confined to the simulation's thread. */
final class SimulatedLookup implements Lookup {

    private record Question(
            Map<TopicPartition, Position> positions, Map<TopicPartition, CompletableFuture<Long>> answers) {}

    private final SimulatedWorld world;
    private final Queue<Question> questions = new ArrayDeque<>();

    /** The first incarnation of the topic that the process knows. */
    private long firstIncarnation = Long.MAX_VALUE;

    SimulatedLookup(SimulatedWorld world) {
        this.world = world;
    }

    /** Answers the oldest query. Partitions without a leader are answered later. */
    void answerNext() {
        Question next = questions.poll();
        if (next == null) {
            return;
        }
        boolean isHeldUp = next.positions.keySet().stream().anyMatch(id -> world.log(id).leaderless);
        if (isHeldUp && world.troubles.has(Planted.ALL_OR_NOTHING_LOOKUP)) {
            questions.add(next);
            return;
        }
        next.answers.forEach((id, answer) -> answer(id, Objects.requireNonNull(next.positions.get(id)), answer));
    }

    private void answer(TopicPartition id, Position position, CompletableFuture<Long> answer) {
        SimulatedLog log = world.log(id);
        if (log.leaderless) {
            answer.completeExceptionally(new TimeoutException(id + " has no leader"));
            return;
        }
        boolean toEnd = log.added && world.troubles.has(Planted.ADDED_AT_END);
        answer.complete(
                switch (position) {
                    case Position.Offset given -> given.offset();
                    case Position.Edge.BEGINNING -> toEnd ? log.end : 0L;
                    default -> (long) log.end;
                });
    }

    /** Drops the queries of a dead process. */
    void forget() {
        questions.clear();
        firstIncarnation = Long.MAX_VALUE;
    }

    /** Returns whether the process knows that the topic existed earlier, or will know after its next query. */
    boolean hasToldOfEarlierTopic() {
        return firstIncarnation < world.troubles.incarnation();
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> offsets(
            Map<TopicPartition, Position> positions, Duration within) {
        Map<TopicPartition, CompletableFuture<Long>> answers = new LinkedHashMap<>();
        positions.keySet().forEach(id -> answers.put(id, new CompletableFuture<>()));
        questions.add(new Question(positions, answers));
        // Keeps the order of entries, because replays must not differ.
        return Collections.unmodifiableMap(answers);
    }

    @Override
    public CompletionStage<Described> partitions(Selection selection) {
        return CompletableFuture.completedStage(new Described(Set.copyOf(world.logs.keySet()), Map.of()));
    }

    @Override
    public Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
        long incarnation = world.troubles.has(Planted.UNNOTICED_RECREATION) ? 0 : world.troubles.incarnation();
        firstIncarnation = Math.min(firstIncarnation, incarnation);
        return topics.stream()
                .collect(Collectors.toMap(
                        topic -> topic, topic -> CompletableFuture.completedStage(new Uuid(1, 1 + incarnation))));
    }

    @Override
    public CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group) {
        return CompletableFuture.completedStage(SimulatedClient.commitsOf(world.logs.values()));
    }

    @Override
    public CompletionStage<Set<String>> topics() {
        return new CompletableFuture<>();
    }

    @Override
    public void close() {}
}
