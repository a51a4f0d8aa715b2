package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.Subscription;
import dev.weir.kafka.spi.Lookup;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Assigned partitions whose topic was deleted. A commit that contains such a partition never completes: the client
 * repeats the commit until it times out. Thread-safe.
 */
public final class GonePartitions {

    private static final ConsumerLog LOG = ConsumerLog.of(GonePartitions.class);

    private static final Duration TOPIC_IDS_WITHIN = Duration.ofSeconds(5);

    private final Lookup lookup;
    private final Set<TopicPartition> gone = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean asked = new AtomicBoolean();

    public GonePartitions(Lookup lookup) {
        this.lookup = lookup;
    }

    public boolean contains(TopicPartition id) {
        return gone.contains(id);
    }

    public Set<TopicPartition> all() {
        return Set.copyOf(gone);
    }

    /** Reports that the partitions were assigned and therefore exist. */
    public void assigned(Collection<TopicPartition> ids) {
        gone.removeAll(ids);
    }

    /** Starts to check whether the partitions exist. Does nothing if a check is already running. */
    public void ask(Collection<TopicPartition> ids) {
        if (ids.isEmpty() || !asked.compareAndSet(false, true)) {
            return;
        }
        Set<TopicPartition> wanted = Set.copyOf(ids);
        Set<String> topics = wanted.stream().map(TopicPartition::topic).collect(Collectors.toSet());
        lookup.partitions(new Subscription.Topics(topics)).whenComplete((found, failure) -> {
            asked.set(false);
            if (found != null) {
                wanted.forEach(id -> note(id, found));
            }
        });
    }

    /** Queries the current topic ids of the partitions' topics. */
    public Map<String, CompletableFuture<Uuid>> topicIds(Collection<TopicPartition> ids) {
        Set<String> topics = ids.stream().map(TopicPartition::topic).collect(Collectors.toSet());
        Map<String, CompletableFuture<Uuid>> answers = new HashMap<>();
        lookup.topicIds(topics, TOPIC_IDS_WITHIN).forEach((name, id) -> answers.put(name, id.toCompletableFuture()));
        return answers;
    }

    private void note(TopicPartition id, Lookup.Described found) {
        Throwable failure = found.failures().get(id.topic());
        boolean missing =
                failure == null ? !found.ids().contains(id) : failure instanceof UnknownTopicOrPartitionException;
        if (missing && gone.add(id)) {
            LOG.warn("{} does not exist any more: nothing of it is committed", id);
        } else if (failure == null && !missing) {
            gone.remove(id);
        }
    }
}
