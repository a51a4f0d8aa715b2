package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.internal.in.lookup.SilentLookup;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** A lookup of a topic with one partition. A test creates the topic. Confined to one thread. */
public final class GoneTopic extends SilentLookup {

    private final TopicPartition id;

    public boolean exists;

    int questions;

    /** The id of the topic; null while it is unknown. */
    @Nullable
    Uuid topicId;

    /** True if queries for the topic's id get no answer. */
    boolean isIdUnanswered;

    public GoneTopic(TopicPartition id) {
        this.id = id;
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> offsets(
            Map<TopicPartition, Position> positions, Duration within) {
        Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
        positions
                .keySet()
                .forEach(each -> answers.put(
                        each,
                        CompletableFuture.failedStage(
                                exists
                                        ? new LeaderNotAvailableException("no leader")
                                        : new UnknownTopicOrPartitionException("does not exist"))));
        return answers;
    }

    @Override
    public Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
        if (isIdUnanswered) {
            return Map.of(id.topic(), new CompletableFuture<>());
        }
        return topicId == null
                ? super.topicIds(topics, within)
                : Map.of(id.topic(), CompletableFuture.completedStage(topicId));
    }

    @Override
    public CompletionStage<Described> partitions(Selection selection) {
        questions++;
        return CompletableFuture.completedStage(
                exists
                        ? new Described(Set.of(id), Map.of())
                        : new Described(
                                Set.of(), Map.of(id.topic(), new UnknownTopicOrPartitionException("does not exist"))));
    }
}
