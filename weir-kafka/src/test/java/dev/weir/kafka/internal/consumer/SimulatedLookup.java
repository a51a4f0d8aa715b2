package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/** Brokers that say which offset a position is, when the world lets them. Confined to the world's thread. */
final class SimulatedLookup implements Lookup {

    private record Question(
            Map<TopicPartition, Position> positions, CompletableFuture<Map<TopicPartition, Long>> answer) {}

    private final SimulatedWorld world;
    private final Queue<Question> questions = new ArrayDeque<>();

    SimulatedLookup(SimulatedWorld world) {
        this.world = world;
    }

    /** Answers the oldest question, if there is one. One about a partition without a leader waits for that. */
    void answerNext() {
        Question next = questions.poll();
        if (next == null) {
            return;
        }
        if (next.positions.keySet().stream().anyMatch(id -> world.log(id).leaderless)) {
            questions.add(next);
            return;
        }
        Map<TopicPartition, Long> offsets = new HashMap<>();
        next.positions.forEach((id, position) -> offsets.put(
                id,
                switch (position) {
                    case Position.Offset given -> given.offset();
                    case Position.Edge.BEGINNING -> 0L;
                    default -> (long) world.log(id).end;
                }));
        next.answer.complete(offsets);
    }

    /** The process is gone, nobody waits for answers. */
    void forget() {
        questions.clear();
    }

    @Override
    public CompletionStage<Map<TopicPartition, Long>> offsets(Map<TopicPartition, Position> positions) {
        CompletableFuture<Map<TopicPartition, Long>> answer = new CompletableFuture<>();
        questions.add(new Question(positions, answer));
        return answer;
    }

    @Override
    public CompletionStage<Set<TopicPartition>> partitions(Selection selection) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<Set<String>> topics() {
        return new CompletableFuture<>();
    }

    @Override
    public void close() {}
}
