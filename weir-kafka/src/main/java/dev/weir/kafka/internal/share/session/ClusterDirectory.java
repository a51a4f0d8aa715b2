package dev.weir.kafka.internal.share.session;

import dev.weir.lean.spi.AskedInTurn;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBrokerCollection;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The brokers, topic ids, partition leaders, and group coordinator, as reported by brokers. {@link AskedInTurn} chooses
 * the broker for each request, so that the member does not rely on a broker with outdated metadata forever. Outdated
 * information never replaces newer information: a leader is replaced only if the new epoch is not older, and a known
 * topic id stays known even if a broker reports a different id for the topic. Confined to the member's thread.
 */
final class ClusterDirectory {

    static final short METADATA_VERSION = 12;
    static final short COORDINATOR_VERSION = 4;

    private static final byte GROUP = 0;
    private static final int NOBODY = -1;
    private static final long PAUSE_NANOS = 100_000_000;
    private static final long MAX_AGE_NANOS = 300_000_000_000L;

    /**
     * Minimum time between two switches to another broker because of unhelpful responses. The time doubles each time
     * all brokers have been tried without success.
     */
    private static final long STAY_NANOS = 200_000_000;

    private static final int MOST_DOUBLINGS = 5;

    /**
     * The leader of a partition.
     *
     * @param node the leader's id; {@link #NOBODY} if no leader is known, or if the metadata does not contain the
     *     leader's address
     */
    private record Leader(int node, int epoch) {}

    private final String group;
    private final List<String> topics;
    private final List<InetSocketAddress> bootstrap;
    private final AcquiredRecordReceiver receiver;
    private final AskedInTurn turns = new AskedInTurn();
    private final Map<Integer, InetSocketAddress> brokers = new HashMap<>();
    private final Map<TopicIdPartition, Leader> leaders = new HashMap<>();
    private final Map<Uuid, String> names = new HashMap<>();

    /** The brokers in the last metadata response. */
    private List<InetSocketAddress> named = List.of();

    private @Nullable InetSocketAddress coordinator;
    private boolean wantsLeaders = true;
    private boolean wantsCoordinator = true;
    private boolean underWay;
    private boolean asksForCoordinator;
    private boolean pausing;
    private long askedNanos;
    private boolean hasAskedForLeaders;
    private long askedForLeadersNanos;
    private long leftNanos;

    ClusterDirectory(
            String group, List<String> topics, List<InetSocketAddress> bootstrap, AcquiredRecordReceiver receiver) {
        this.group = group;
        this.topics = topics;
        this.bootstrap = bootstrap;
        this.receiver = receiver;
    }

    /**
     * Marks the known leaders as possibly wrong or incomplete, so that they are requested again soon. Does not schedule
     * another metadata request if one is already in flight, because it is not known yet whether that response helps.
     */
    void doubtLeaders() {
        turns.doubt();
        wantsLeaders |= !underWay || asksForCoordinator;
    }

    /**
     * Marks the known coordinator as possibly wrong, so that it is looked up again soon. Does not schedule another
     * lookup if one is already in flight.
     */
    void doubtCoordinator() {
        turns.doubt();
        wantsCoordinator |= !underWay || !asksForCoordinator;
    }

    @Nullable
    InetSocketAddress coordinator() {
        return coordinator;
    }

    @Nullable
    InetSocketAddress address(int broker) {
        return brokers.get(broker);
    }

    /** Returns the address of the broker to ask next. */
    List<InetSocketAddress> nextToAsk() {
        int at = turns.next(named.size(), bootstrap.size());
        return List.of(at < named.size() ? named.get(at) : bootstrap.get(at - named.size()));
    }

    /** Returns the partition with its topic name, or null if the topic is unknown. */
    @Nullable
    TopicIdPartition partition(Uuid topic, int number) {
        String name = names.get(topic);
        return name == null ? null : new TopicIdPartition(topic, new TopicPartition(name, number));
    }

    /** Returns the id of the broker that leads the partition, or null if it is unknown. */
    @Nullable
    Integer leader(TopicIdPartition partition) {
        Leader leader = leaders.get(partition);
        return leader == null || leader.node == NOBODY ? null : leader.node;
    }

    /**
     * Forgets the leader of a partition, because the leader has moved. No session fetches the partition until brokers
     * report its leader again.
     */
    void forget(TopicIdPartition partition) {
        leaders.computeIfPresent(partition, (id, leader) -> new Leader(NOBODY, leader.epoch));
        doubtLeaders();
    }

    /**
     * Updates a partition's leader with the leader named by a broker that no longer leads the partition (KIP-951).
     * Ignores the update if the leader's address is unknown or its epoch is not newer than the known epoch.
     *
     * @param node the leader's id; negative if the broker does not know it
     * @param address the leader's address, or null if the broker did not report it
     */
    void hint(TopicIdPartition partition, int node, int epoch, @Nullable InetSocketAddress address) {
        if (address != null) {
            var unused = brokers.putIfAbsent(node, address);
        }
        Leader known = leaders.get(partition);
        if (known != null && epoch > known.epoch && brokers.containsKey(node)) {
            leaders.put(partition, new Leader(node, epoch));
        }
    }

    /** Returns whether to close the connection and ask another broker. */
    boolean isToBeLeft(long nowNanos) {
        boolean old = isOld(nowNanos);
        if (underWay || !turns.isEnough(old)) {
            return false;
        }
        // While a partition has no leader, the response of every broker is unhelpful. The growing delay keeps the
        // member from switching brokers after every two responses.
        int rounds = Math.min(MOST_DOUBLINGS, turns.round(named.size(), bootstrap.size()));
        return old || nowNanos - leftNanos >= STAY_NANOS << rounds;
    }

    /** Notes that the connection was closed. */
    void left(long nowNanos) {
        leftNanos = nowNanos;
        turns.left();
    }

    private boolean isOld(long nowNanos) {
        return hasAskedForLeaders && nowNanos - askedForLeadersNanos > MAX_AGE_NANOS;
    }

    boolean isDue(long nowNanos) {
        if (underWay || (pausing && nowNanos - askedNanos < PAUSE_NANOS)) {
            return false;
        }
        wantsLeaders |= isOld(nowNanos);
        return wantsCoordinator || wantsLeaders;
    }

    /** Returns the request that is due, and marks it as sent. */
    ApiMessage next(long nowNanos) {
        underWay = true;
        pausing = true;
        askedNanos = nowNanos;
        asksForCoordinator = wantsCoordinator;
        if (wantsCoordinator) {
            wantsCoordinator = false;
            return new FindCoordinatorRequestData().setKeyType(GROUP).setCoordinatorKeys(List.of(group));
        }
        wantsLeaders = false;
        hasAskedForLeaders = true;
        askedForLeadersNanos = nowNanos;
        return new MetadataRequestData()
                .setTopics(topics.stream()
                        .map(name -> new MetadataRequestTopic().setName(name))
                        .toList())
                .setAllowAutoTopicCreation(false);
    }

    /** Notes that the connection to the asked broker was lost. */
    void lost() {
        if (underWay) {
            wantsCoordinator |= asksForCoordinator;
            wantsLeaders |= !asksForCoordinator;
        }
        underWay = false;
        turns.failed();
    }

    void answered(FindCoordinatorResponseData answer) {
        underWay = false;
        turns.answered();
        pausing = coordinator != null; // Send the next request without a pause after the first lookup.
        for (Coordinator each : answer.coordinators()) {
            Errors error = Errors.forCode(each.errorCode());
            switch (error) {
                case NONE -> coordinator = InetSocketAddress.createUnresolved(each.host(), each.port());
                case GROUP_AUTHORIZATION_FAILED, INVALID_REQUEST ->
                    receiver.fatal(error.exception(each.errorMessage()));
                default -> {
                    doubtCoordinator();
                    pausing = true;
                }
            }
        }
    }

    void answered(MetadataResponseData answer) {
        underWay = false;
        turns.answered();
        List<InetSocketAddress> all = new ArrayList<>();
        answer.brokers().forEach(each -> {
            InetSocketAddress address = InetSocketAddress.createUnresolved(each.host(), each.port());
            all.add(address);
            // Brokers missing from the response keep their known address, because a session must reconnect to the same
            // broker.
            brokers.put(each.nodeId(), address);
        });
        named = all;
        boolean helps = true;
        for (MetadataResponseTopic topic : answer.topics()) {
            helps &= learn(topic, answer.brokers());
        }
        if (!helps) {
            doubtLeaders();
        }
    }

    /** Stores a topic's metadata. Returns whether the metadata is complete and up to date. */
    private boolean learn(MetadataResponseTopic topic, MetadataResponseBrokerCollection alive) {
        Errors error = Errors.forCode(topic.errorCode());
        if (error == Errors.TOPIC_AUTHORIZATION_FAILED) {
            receiver.fatal(new TopicAuthorizationException(Set.of(topic.name())));
        }
        if (error != Errors.NONE) {
            return false;
        }
        names.put(topic.topicId(), topic.name());
        boolean helps = true;
        for (MetadataResponsePartition each : topic.partitions()) {
            TopicIdPartition id = new TopicIdPartition(topic.topicId(), each.partitionIndex(), topic.name());
            Leader known = leaders.get(id);
            int node = alive.find(each.leaderId()) == null ? NOBODY : each.leaderId();
            boolean over = known != null && each.leaderEpoch() < known.epoch;
            if (!over) {
                leaders.put(id, new Leader(node, each.leaderEpoch()));
            }
            helps &= !over && node != NOBODY;
        }
        return helps;
    }
}
