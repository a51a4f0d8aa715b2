package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.internal.in.commit.CommitTexts;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.Thrown;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The number of partitions that each topic had when the group began to read it. Partitions with higher numbers were
 * added later and are read from their beginning (ADR 58). Confined to the owner thread.
 *
 * <p>Members read this number from the group's commits. Without commits, they use the number of partitions at the start
 * of the run.
 */
final class StartSizes {

    private static final ConsumerLog LOG = ConsumerLog.of(StartSizes.class);
    private static final long RETRY_MILLIS = 500;

    private final Selection selection;
    private final @Nullable String group;
    private final Lookup lookup;
    private final CommitTexts texts;
    private final Executor owner;

    /** Number of partitions per topic at the start of this run. Completed on the owner thread. */
    private final CompletableFuture<Map<String, Integer>> atStart = new CompletableFuture<>();

    private final Map<String, Integer> known = new HashMap<>();
    private boolean asked;

    /**
     * Creates an object without any partition counts.
     *
     * @param group the group that commits offsets; null if no offsets are committed
     * @param owner the owner thread, which processes responses
     */
    StartSizes(Selection selection, @Nullable String group, Lookup lookup, CommitTexts texts, Executor owner) {
        this.selection = selection;
        this.group = group;
        this.lookup = lookup;
        this.texts = texts;
        this.owner = owner;
    }

    void begin() {
        if (!asked && !(selection instanceof Subscription.Partitions)) {
            asked = true;
            askForTopics();
        }
    }

    private void askForTopics() {
        lookup.partitions(selection)
                .whenComplete((found, failure) -> owner.execute(() -> {
                    Throwable missing = found == null
                            ? failure
                            : found.failures().values().stream()
                                    .filter(why -> !(why instanceof UnknownTopicOrPartitionException))
                                    .findFirst()
                                    .orElse(null);
                    if (missing == null && found != null) {
                        atStart.complete(found.ids().stream()
                                .collect(Collectors.groupingBy(TopicPartition::topic, Collectors.summingInt(id -> 1))));
                    } else {
                        retry("the partitions of " + selection, String.valueOf(missing), this::askForTopics);
                    }
                }));
    }

    /** Calls {@code then} on the owner thread once {@link #isAdded} knows these partitions. */
    void learn(Collection<TopicPartition> ids, Runnable then) {
        if (selection instanceof Subscription.Partitions
                || ids.stream().allMatch(id -> known.containsKey(id.topic()))) {
            then.run();
            return;
        }
        begin();
        atStart.minimalCompletionStage()
                .thenAccept(sizes -> commits()
                        .whenComplete((commits, failure) -> owner.execute(() -> {
                            if (commits == null) {
                                again(ids, then, failure);
                                return;
                            }
                            ids.forEach(id -> known.computeIfAbsent(id.topic(), topic -> size(topic, commits, sizes)));
                            known.forEach(texts::startSize);
                            then.run();
                        })));
    }

    private void again(Collection<TopicPartition> ids, Runnable then, Throwable failure) {
        Throwable cause = Thrown.unwrapped(failure);
        if (!(cause instanceof RetriableException)) {
            throw new KafkaPipelineException(
                    "cannot read what group " + group + " has committed: " + Thrown.message(cause), cause);
        }
        retry("what group " + group + " has committed", Thrown.text(cause), () -> learn(ids, then));
    }

    private CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits() {
        return group == null ? CompletableFuture.completedStage(Map.of()) : lookup.commits(group);
    }

    /**
     * Returns the number of partitions that the topic had when the group began to read it.
     * <ul>
     * <li>If any of the topic's commits contains the number, the result is that number.
     * <li>If the topic has commits without the number although this consumer writes commit metadata, another kind of
     * consumer began to read the topic. A partition without a commit must have been added since, so the result is 0.
     * <li>If the topic has no commits, or if no metadata is written, the result is the number at the start of this run.
     * </ul>
     */
    private int size(String topic, Map<TopicPartition, OffsetAndMetadata> commits, Map<String, Integer> sizes) {
        boolean begun = false;
        int noted = Integer.MAX_VALUE;
        for (Map.Entry<TopicPartition, OffsetAndMetadata> each : commits.entrySet()) {
            if (each.getKey().topic().equals(topic)) {
                begun = true;
                int size = CommitText.startSize(each.getValue().metadata());
                noted = size < 0 ? noted : Math.min(noted, size);
            }
        }
        if (noted < Integer.MAX_VALUE) {
            return noted;
        }
        return begun && texts.areWritten() ? 0 : sizes.getOrDefault(topic, 0);
    }

    /** Returns whether the partition was added to its topic after the group began to read it. */
    boolean isAdded(TopicPartition id) {
        return id.partition() >= known.getOrDefault(id.topic(), Integer.MAX_VALUE);
    }

    private void retry(String what, String why, Runnable question) {
        LOG.warn("cannot yet read {}, trying again: {}", what, why);
        CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS).execute(() -> owner.execute(question));
    }
}
