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
 * The brokers, the leaders and ids of topics, and the coordinator of the group, as far as brokers have told. {@link
 * AskedInTurn} chooses the broker to ask, so that one that is behind is not asked for ever. Nothing replaces what is
 * newer: leaders have epochs, and what is known of a topic's id stays when a broker names another id. Confined to the
 * member's thread.
 */
final class ClusterDirectory {

    static final short METADATA_VERSION = 12;
    static final short COORDINATOR_VERSION = 4;

    private static final byte GROUP = 0;
    private static final int NOBODY = -1;
    private static final long PAUSE_NANOS = 100_000_000;
    private static final long MAX_AGE_NANOS = 300_000_000_000L;

    /** Least time between connections that are left for answers that did not help; it doubles with each round. */
    private static final long STAY_NANOS = 200_000_000;

    private static final int MOST_DOUBLINGS = 5;

    /**
     * The leader of a partition.
     *
     * @param node {@link #NOBODY} if there is none, or it is not there
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

    /** The brokers of the last answer. */
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
     * Asks for the leaders again soon, because the known ones may be wrong or incomplete. Waits for the answer to a
     * request in flight first: another answer would arrive before anybody can say whether that one helped.
     */
    void doubtLeaders() {
        turns.doubt();
        wantsLeaders |= !underWay || asksForCoordinator;
    }

    /** The coordinator may be another one: asks again, soon, or waits for the answer that is under way. */
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

    /** The address to ask at next. */
    List<InetSocketAddress> nextToAsk() {
        int at = turns.next(named.size(), bootstrap.size());
        return List.of(at < named.size() ? named.get(at) : bootstrap.get(at - named.size()));
    }

    /** The partition with the name of its topic; null if the topic is not known. */
    @Nullable
    TopicIdPartition partition(Uuid topic, int number) {
        String name = names.get(topic);
        return name == null ? null : new TopicIdPartition(topic, new TopicPartition(name, number));
    }

    /** The broker that leads it, or null. */
    @Nullable
    Integer leader(TopicIdPartition partition) {
        Leader leader = leaders.get(partition);
        return leader == null || leader.node == NOBODY ? null : leader.node;
    }

    /**
     * Forgets the leader of a partition, because it has moved. No session fetches it until brokers name its leader
     * again.
     */
    void forget(TopicIdPartition partition) {
        leaders.computeIfPresent(partition, (id, leader) -> new Leader(NOBODY, leader.epoch));
        doubtLeaders();
    }

    /**
     * A broker that does not lead a partition says who does (KIP-951), as far as it knows.
     *
     * @param node the leader, or none
     * @param address null if it does not say where that is
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

    /** Returns whether to leave the connection and ask another broker. */
    boolean isToBeLeft(long nowNanos) {
        boolean old = isOld(nowNanos);
        if (underWay || !turns.isEnough(old)) {
            return false;
        }
        // Where no broker helps, as there is no leader, each connection would be left after two answers.
        int rounds = Math.min(MOST_DOUBLINGS, turns.round(named.size(), bootstrap.size()));
        return old || nowNanos - leftNanos >= STAY_NANOS << rounds;
    }

    /** The connection was left. */
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

    /** Returns the request that is due, and counts it as sent. */
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

    /** The one who was asked is gone. */
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
        pausing = coordinator != null; // The first two questions need not wait for each other.
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
            // One that is down keeps its address: another one's would do harm.
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

    /** Returns whether it tells all of the topic, and nothing that is known to be over. */
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
