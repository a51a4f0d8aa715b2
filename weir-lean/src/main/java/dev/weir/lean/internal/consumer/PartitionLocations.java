package dev.weir.lean.internal.consumer;

import dev.weir.lean.LeanException;
import dev.weir.lean.PartitionException;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.cluster.BrokerAddress;
import dev.weir.lean.internal.cluster.ClusterMetadata;
import dev.weir.lean.internal.cluster.ClusterView;
import dev.weir.lean.internal.cluster.TopicIdAgreement;
import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tracks the broker from which each partition is fetched. Confined to one thread. */
final class PartitionLocations implements ClusterView {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionLocations.class);

    private final ConsumerContext context;
    private final ClusterMetadata metadata;
    private final MetadataConnection connection;
    private final Map<String, FetchedTopic> topics = new LinkedHashMap<>();
    private final Long2ObjectHashMap<FetchedTopic> topicsById = new Long2ObjectHashMap<>();
    private final Int2ObjectHashMap<FetchBroker> brokers = new Int2ObjectHashMap<>();
    private final long followNanos;
    private @Nullable FetchResponses fetcher;
    private @Nullable Additions additions;

    /** Reason why a wholly assigned topic cannot be read; null if there is none, or once it has been thrown. */
    private @Nullable LeanException refusal;

    private int nextOrdinal;
    private long nowNanos;

    PartitionLocations(ConsumerContext context) {
        this.context = context;
        // As in the official client: after this time, ask the leader again which replica to use.
        this.followNanos = context.settings().metadataMaxAge().toNanos();
        this.metadata = new ClusterMetadata(context.bootstrap(), this, context.newBackoff(), followNanos);
        this.connection = new MetadataConnection(context, metadata);
    }

    void answerTo(FetchResponses answers) {
        fetcher = answers;
    }

    /** Adds partitions of a topic that is assigned as a whole. */
    @FunctionalInterface
    interface Additions {
        FetchedPartition add(FetchedTopic topic, int number, StartAt start);
    }

    /** Sets the callback that adds partitions discovered through metadata. */
    void addTo(Additions by) {
        additions = by;
    }

    FetchedTopic topic(String name) {
        return topics.computeIfAbsent(name, each -> new FetchedTopic(each, nextOrdinal++));
    }

    void remove(FetchedPartition partition) {
        FetchedTopic topic = partition.topic;
        topic.set(partition.number, null);
        leave(partition);
        forgetIfEmpty(topic);
    }

    /**
     * Sets the id of the topic in which the partition's position is valid. The next metadata response confirms or
     * refutes it.
     */
    void isPlacedIn(FetchedPartition partition, Uuid topicId) {
        partition.placedIn = topicId.equals(Uuid.ZERO_UUID) ? null : topicId;
    }

    private void forgetIfEmpty(FetchedTopic topic) {
        if (topic.isEmpty()) {
            topics.remove(topic.name);
            topicsById.remove(topic.idLow);
        }
    }

    Collection<FetchBroker> brokers() {
        return brokers.values();
    }

    void wantMetadata() {
        metadata.want();
    }

    /** Requests new metadata: a connection was lost, or a broker's response contradicts the metadata. */
    void doubtMetadata() {
        metadata.doubt();
    }

    /** Finds a partition by its topic id; null if it is not assigned. */
    @Nullable
    FetchedPartition partition(long idHigh, long idLow, int number) {
        FetchedTopic topic = topicsById.get(idLow);
        return topic == null || topic.idHigh != idHigh ? null : topic.partition(number);
    }

    @Nullable
    FetchedPartition partition(String name, int number) {
        FetchedTopic topic = topics.get(name);
        return topic == null ? null : topic.partition(number);
    }

    int poll(long now) {
        nowNanos = now;
        int work = connection.poll(now, topics.values());
        LeanException refused = refusal;
        if (refused != null) {
            refusal = null;
            throw refused;
        }
        return work;
    }

    /** Assigns the whole topic. Partitions are added once they are in the metadata. */
    void addAll(FetchedTopic topic, StartAt start) {
        topic.startOfAll = start;
        topic.known = 0;
        metadata.want();
    }

    void forget(FetchedTopic topic) {
        topic.startOfAll = null;
        forgetIfEmpty(topic);
    }

    /**
     * Reports that a partition cannot be fetched from its current broker. After a nearer replica, the partition is
     * fetched from its leader. After a leader, new metadata are requested.
     */
    void relocate(FetchedPartition partition, long now) {
        boolean followed = partition.isFollowing();
        leave(partition);
        if (partition.state != FetchedPartition.FAILED) {
            partition.state = FetchedPartition.LOCATING;
        }
        context.counters().add(ConsumerCounters.RELOCATIONS, 1);
        FetchBroker leader = followed ? brokers.get(partition.leader.node()) : null;
        if (leader == null) {
            metadata.refused(now);
        } else {
            leader.nearerFailed(now);
            join(partition, leader);
        }
    }

    /**
     * Fetches a partition from a hinted leader. Returns false if the leader is already known or its address is unknown.
     */
    boolean hint(FetchedPartition partition, int node, int epoch) {
        FetchBroker leader = brokers.get(node);
        if (leader == null || !partition.leader.hint(node, epoch)) {
            return false;
        }
        partition.believeEpoch();
        context.counters().add(ConsumerCounters.RELOCATIONS, 1);
        leave(partition);
        join(partition, leader);
        return true;
    }

    /** Fetches a partition from a nearer replica for a while, if that replica is connected. */
    void follow(FetchedPartition partition, FetchBroker from, int replica, long now) {
        FetchBroker near = brokers.get(replica);
        if (near == from) {
            return;
        }
        if (near == null) {
            metadata.want();
        }
        if (near == null || !near.prepare()) {
            from.nearerFailed(now);
            return;
        }
        leave(partition);
        partition.followUntilNanos = now + followNanos;
        partition.servedNearby = false;
        context.counters().add(ConsumerCounters.RELOCATIONS, 1);
        join(partition, near);
    }

    /** Reports that a partition's broker has answered a fetch. This shows that a nearer replica works. */
    void served(FetchedPartition partition) {
        if (partition.isFollowing() && !partition.servedNearby) {
            partition.servedNearby = true;
            FetchBroker leader = brokers.get(partition.leader.node());
            if (leader != null) {
                leader.nearerServes();
            }
        }
    }

    private static void leave(FetchedPartition partition) {
        if (partition.broker != null) {
            partition.broker.remove(partition);
        }
    }

    private static void join(FetchedPartition partition, FetchBroker broker) {
        broker.add(partition);
        if (partition.state == FetchedPartition.LOCATING) {
            partition.state = partition.start == null ? FetchedPartition.FETCHING : FetchedPartition.RESOLVING;
        }
    }

    /** Resumes fetching after a change of position. Requests metadata if the partition has no broker. */
    void resume(FetchedPartition partition) {
        if (partition.broker == null) {
            partition.state = FetchedPartition.LOCATING;
            metadata.want();
        } else {
            partition.state = partition.start == null ? FetchedPartition.FETCHING : FetchedPartition.RESOLVING;
        }
    }

    @Override
    public void found(int node, BrokerAddress address) {
        brokers.put(node, new FetchBroker(node, address, context, Objects.requireNonNull(fetcher)));
    }

    @Override
    public void moved(int node) {
        brokers.get(node).close("the broker has another address now");
    }

    @Override
    public @Nullable TopicIdAgreement agreement(String name) {
        FetchedTopic topic = topics.get(name);
        return topic == null ? null : topic.agreement;
    }

    @Override
    public boolean refused(String name, Errors error) {
        FetchedTopic topic = topic(name);
        if (error == Errors.TOPIC_AUTHORIZATION_FAILED || error == Errors.INVALID_TOPIC_EXCEPTION) {
            topic.forEach(partition -> refuse(partition, error));
            if (topic.startOfAll != null) {
                refusal = new LeanException("topic " + topic.name + ": " + error.message(), error.exception());
            }
            return true;
        }
        boolean found = topic.startOfAll == null && topic.unlocated().isEmpty();
        report(topic, found ? "" : error.name());
        return found;
    }

    @Override
    public boolean learn(MetadataResponseTopic answer, Verdict verdict) {
        FetchedTopic topic = topic(answer.name());
        identify(topic, verdict);
        if (topic.startOfAll != null) {
            addNew(topic, topic.startOfAll, answer);
        }
        for (MetadataResponsePartition each : answer.partitions()) {
            FetchedPartition partition = topic.partition(each.partitionIndex());
            // The partition waits as long as only one broker has contradicted its topic id.
            if (partition != null && partition.placedIn == null) {
                lead(partition, each);
            }
        }
        List<FetchedPartition> unlocated = topic.unlocated();
        boolean contradicted = unlocated.stream().anyMatch(partition -> partition.placedIn != null);
        report(
                topic,
                contradicted
                        ? "a broker names another topic id"
                        : unlocated.isEmpty() ? "" : "no leader for " + unlocated);
        return unlocated.isEmpty();
    }

    /**
     * Adds partitions that are not known yet. A partition that was missing from the first metadata response is new. It
     * is read from its beginning, even if the topic's start position is the end.
     */
    private void addNew(FetchedTopic topic, StartAt start, MetadataResponseTopic answer) {
        int count = Math.max(topic.known, ClusterMetadata.countPartitions(answer));
        for (int number = topic.known; number < count; number++) {
            if (topic.partition(number) == null) {
                Objects.requireNonNull(additions).add(topic, number, start);
            }
        }
        topic.known = count;
        if (start.equals(StartAt.end())) {
            topic.startOfAll = StartAt.beginning();
        }
    }

    /** Logs why a topic cannot be read, each time the reason changes, and when the topic becomes readable. */
    private static void report(FetchedTopic topic, String trouble) {
        if (!trouble.equals(topic.trouble)) {
            if (trouble.isEmpty()) {
                LOG.info("topic {}: found", topic.name);
            } else {
                LOG.warn("topic {}: {}; waiting for it", topic.name, trouble);
            }
            topic.trouble = trouble;
        }
    }

    private void refuse(FetchedPartition partition, Errors error) {
        if (partition.state != FetchedPartition.FAILED) {
            partition.fail(
                    new PartitionException(
                            partition.topic.name,
                            partition.number,
                            Math.max(0, partition.fetchOffset),
                            error.message()),
                    -1);
            Objects.requireNonNull(fetcher).enqueue(partition);
        }
    }

    private void identify(FetchedTopic topic, Verdict verdict) {
        boolean differs = verdict != Verdict.PRESENT;
        boolean madeAgain = verdict == Verdict.RECREATED;
        if (differs) {
            topicsById.remove(topic.idLow);
            topic.identify();
            topicsById.put(topic.idLow, topic);
        }
        topic.forEach(partition -> {
            if (differs && partition.broker != null) {
                partition.broker.restart();
            }
            if (verdict != Verdict.RECREATED && isContradictedByOne(partition)) {
                return;
            }
            Uuid placedIn = partition.placedIn;
            partition.placedIn = null;
            if (placedIn == null ? madeAgain : !placedIn.equals(topic.agreement.present())) {
                // A recreated topic's leader epochs start again.
                partition.leader.recreated();
                partition.lastEpoch = -1;
                partition.doubtedEpoch = -1;
                partition.forgetQuestion();
                Objects.requireNonNull(fetcher).madeAgain(partition);
            }
        });
    }

    /** Returns whether only one broker has contradicted the topic id of a position. That broker may be stale. */
    private boolean isContradictedByOne(FetchedPartition partition) {
        TopicIdAgreement agreement = partition.topic.agreement;
        Uuid placedIn = partition.placedIn;
        if (placedIn == null || placedIn.equals(agreement.present()) || agreement.hasOneBroker()) {
            return false;
        }
        int before = partition.contradictedBy;
        int node = agreement.lastNode();
        if (before == FetchedPartition.NOBODY) {
            metadata.contradicted();
        }
        if (before < 0) {
            partition.contradictedBy = node;
        }
        return before < 0 || node == before || node == TopicIdAgreement.UNKNOWN_NODE;
    }

    private void lead(FetchedPartition partition, MetadataResponsePartition answer) {
        FetchBroker leader = brokers.get(answer.leaderId());
        boolean sameLeader = partition.leader.node() == answer.leaderId();
        boolean elected = answer.leaderEpoch() > partition.leader.epoch();
        if (leader == null
                || partition.state == FetchedPartition.FAILED
                || !partition.leader.learn(answer.leaderId(), answer.leaderEpoch())) {
            return;
        }
        if (elected) {
            partition.believeEpoch();
        }
        if (partition.broker == leader) {
            return;
        }
        boolean mayFollow = partition.broker != null && sameLeader && nowNanos - partition.followUntilNanos < 0;
        if (!mayFollow) {
            if (partition.broker != null) {
                context.counters().add(ConsumerCounters.RELOCATIONS, 1);
                leave(partition);
            }
            join(partition, leader);
        }
    }

    void close() {
        connection.close("closed");
        brokers.values().forEach(broker -> broker.close("closed"));
    }
}
