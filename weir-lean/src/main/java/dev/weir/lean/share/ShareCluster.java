package dev.weir.lean.share;

import dev.weir.lean.internal.cluster.BrokerAddress;
import dev.weir.lean.internal.cluster.ClusterMetadata;
import dev.weir.lean.internal.cluster.ClusterView;
import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.cluster.TopicIdAgreement;
import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A member's view of the cluster: brokers, topic ids, partition leaders and group coordinator. Metadata requests and
 * coordinator lookups use one connection, with one request in flight. Confined to the member's thread.
 */
final class ShareCluster implements ClusterView {

    static final short COORDINATOR_VERSION = 4;

    private static final byte GROUP = 0;
    private static final long MAX_BACKOFF_NANOS = 100_000_000;
    private static final long MAX_AGE_NANOS = 300_000_000_000L;

    private final String group;
    private final List<String> topics;
    private final AcquiredRecordReceiver receiver;
    private final ClusterMetadata metadata;
    private final Map<Integer, BrokerAddress> brokers = new HashMap<>();
    private final Map<TopicIdPartition, PartitionLeader> leaders = new HashMap<>();
    private final Map<Uuid, String> names = new HashMap<>();

    private final RetryBackoff lookupBackoff;
    private @Nullable InetSocketAddress coordinator;
    private boolean wantsCoordinator = true;
    private boolean looksUp;

    /** True from a metadata request until its response. */
    private boolean asks;

    private long nowNanos;

    /** @param seed determines the jitter of retries */
    ShareCluster(
            String group,
            List<String> topics,
            List<InetSocketAddress> bootstrap,
            AcquiredRecordReceiver receiver,
            long seed) {
        this.group = group;
        this.topics = topics;
        this.receiver = receiver;
        SplittableRandom random = new SplittableRandom(seed);
        this.lookupBackoff = new RetryBackoff(MAX_BACKOFF_NANOS, random.split());
        this.metadata = new ClusterMetadata(
                bootstrap.stream()
                        .map(each -> new BrokerAddress("bootstrap", each.getHostString(), each.getPort()))
                        .toList(),
                this,
                new RetryBackoff(MAX_BACKOFF_NANOS, random),
                MAX_AGE_NANOS);
    }

    void at(long now) {
        nowNanos = now;
    }

    /** Requests the leaders again soon, because a known leader may be wrong. */
    void doubtLeaders() {
        metadata.refused(nowNanos);
    }

    /** Looks up the coordinator again soon, because the known one may be wrong. */
    void doubtCoordinator() {
        metadata.unhelpful();
        if (!wantsCoordinator && !looksUp) {
            wantsCoordinator = true;
            lookupBackoff.failed(nowNanos);
        }
    }

    /** Notes that the last lookup returned the right coordinator, which resets the lookup backoff. */
    void confirmCoordinator() {
        lookupBackoff.succeeded();
    }

    @Nullable
    InetSocketAddress coordinator() {
        return coordinator;
    }

    /** Returns the addresses of a broker that leads a partition. */
    List<InetSocketAddress> addresses(int broker) {
        return Objects.requireNonNull(brokers.get(broker), () -> "address of broker " + broker)
                .get();
    }

    /** Chooses the broker to ask next, and returns its address. */
    List<InetSocketAddress> nextToAsk() {
        return List.of(metadata.nextAddress());
    }

    /** Returns the partition with its topic name; null if the topic is unknown. */
    @Nullable
    TopicIdPartition partition(Uuid topic, int number) {
        String name = names.get(topic);
        return name == null ? null : new TopicIdPartition(topic, new TopicPartition(name, number));
    }

    /** Returns the broker id of the partition's leader; null if unknown. */
    @Nullable
    Integer leader(TopicIdPartition partition) {
        PartitionLeader leader = leaders.get(partition);
        return leader == null || leader.node() == PartitionLeader.NOBODY ? null : leader.node();
    }

    /** Forgets the leader of a moved partition. No session fetches it until its leader is known again. */
    void forget(TopicIdPartition partition) {
        PartitionLeader leader = leaders.get(partition);
        if (leader != null) {
            var unused = leader.learn(PartitionLeader.NOBODY, leader.epoch());
        }
        doubtLeaders();
    }

    /**
     * Sets a partition's leader as named by its former leader (KIP-951). Does nothing if the new leader's address is
     * unknown or its epoch is not newer.
     *
     * @param node the leader's id; negative if the broker does not know it
     * @param address the leader's address, or null if the broker did not report it
     */
    void hint(TopicIdPartition partition, int node, int epoch, @Nullable InetSocketAddress address) {
        if (address != null) {
            var unused = brokers.putIfAbsent(
                    node, new BrokerAddress("broker " + node, address.getHostString(), address.getPort()));
        }
        PartitionLeader known = leaders.get(partition);
        if (known != null && brokers.containsKey(node)) {
            var unused = known.hint(node, epoch);
        }
    }

    /** Returns whether to close the connection now, so that the next request goes to another broker. */
    boolean leave() {
        return !looksUp && metadata.leave(nowNanos);
    }

    boolean isDue() {
        return !looksUp && !asks && ((wantsCoordinator && lookupBackoff.isDue(nowNanos)) || metadata.isDue(nowNanos));
    }

    /** Returns the request that is due, and marks it as sent. */
    ApiMessage next() {
        if (wantsCoordinator && lookupBackoff.isDue(nowNanos)) {
            wantsCoordinator = false;
            looksUp = true;
            return new FindCoordinatorRequestData().setKeyType(GROUP).setCoordinatorKeys(List.of(group));
        }
        asks = true;
        return metadata.ask(topics.stream(), nowNanos);
    }

    void lost() {
        wantsCoordinator |= looksUp;
        looksUp = false;
        asks = false;
        metadata.lost();
    }

    void answered(FindCoordinatorResponseData answer) {
        looksUp = false;
        for (Coordinator each : answer.coordinators()) {
            Errors error = Errors.forCode(each.errorCode());
            switch (error) {
                case NONE -> coordinator = InetSocketAddress.createUnresolved(each.host(), each.port());
                case GROUP_AUTHORIZATION_FAILED, INVALID_REQUEST ->
                    receiver.fatal(error.exception(each.errorMessage()));
                default -> doubtCoordinator();
            }
        }
    }

    void answered(MetadataResponseData answer) {
        asks = false;
        metadata.answered(answer, nowNanos);
    }

    @Override
    public void found(int node, BrokerAddress address) {
        brokers.put(node, address);
    }

    @Override
    public void moved(int node) {
        // A reconnecting session uses the new address.
    }

    /** Accepts every reported topic id: only the id in the coordinator's assignment matters. */
    @Override
    public TopicIdAgreement agreement(String topic) {
        return new TopicIdAgreement();
    }

    @Override
    public boolean refused(String topic, Errors error) {
        if (error == Errors.TOPIC_AUTHORIZATION_FAILED) {
            receiver.fatal(new TopicAuthorizationException(Set.of(topic)));
        }
        return false;
    }

    @Override
    public boolean learn(MetadataResponseTopic topic, Verdict verdict) {
        names.put(topic.topicId(), topic.name());
        boolean complete = true;
        for (MetadataResponsePartition each : topic.partitions()) {
            TopicIdPartition id = new TopicIdPartition(topic.topicId(), each.partitionIndex(), topic.name());
            int node = brokers.containsKey(each.leaderId()) ? each.leaderId() : PartitionLeader.NOBODY;
            complete &=
                    leaders.computeIfAbsent(id, absent -> new PartitionLeader()).learn(node, each.leaderEpoch())
                            && node != PartitionLeader.NOBODY;
        }
        return complete;
    }
}
