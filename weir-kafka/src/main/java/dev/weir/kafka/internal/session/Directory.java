package dev.weir.kafka.internal.session;

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
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Who is where: brokers, leaders and ids of topics, and the coordinator of the group. Asked for when somebody wants to
 * know. Confined to the member's thread.
 */
final class Directory {

    static final short METADATA_VERSION = 12;
    static final short COORDINATOR_VERSION = 4;

    private static final byte GROUP = 0;
    private static final long PAUSE_NANOS = 100_000_000;
    private static final long MAX_AGE_NANOS = 300_000_000_000L;

    private final String group;
    private final List<String> topics;
    private final Borrower borrower;
    private final Map<Integer, InetSocketAddress> brokers = new HashMap<>();
    private final Map<TopicIdPartition, Integer> leaders = new HashMap<>();
    private final Map<Uuid, String> names = new HashMap<>();
    private @Nullable InetSocketAddress coordinator;
    private boolean wantsLeaders = true;
    private boolean wantsCoordinator = true;
    private boolean underWay;
    private boolean asksForCoordinator;
    private boolean pausing;
    private long askedNanos;

    Directory(String group, List<String> topics, Borrower borrower) {
        this.group = group;
        this.topics = topics;
        this.borrower = borrower;
    }

    void wantLeaders() {
        wantsLeaders = true;
    }

    void wantCoordinator() {
        wantsCoordinator = true;
    }

    @Nullable
    InetSocketAddress coordinator() {
        return coordinator;
    }

    @Nullable
    InetSocketAddress address(int broker) {
        return brokers.get(broker);
    }

    List<InetSocketAddress> addresses() {
        return new ArrayList<>(brokers.values());
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
        return leaders.get(partition);
    }

    /** It is not led where it was thought to be: nobody is asked for it until brokers name its leader again. */
    void forget(TopicIdPartition partition) {
        leaders.remove(partition);
    }

    boolean isDue(long nowNanos) {
        if (underWay || (pausing && nowNanos - askedNanos < PAUSE_NANOS)) {
            return false;
        }
        wantsLeaders |= nowNanos - askedNanos > MAX_AGE_NANOS;
        return wantsCoordinator || wantsLeaders;
    }

    /** The question that is due, which counts as asked. */
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
    }

    void answered(FindCoordinatorResponseData answer) {
        underWay = false;
        pausing = coordinator != null; // The first two questions need not wait for each other.
        for (Coordinator each : answer.coordinators()) {
            Errors error = Errors.forCode(each.errorCode());
            switch (error) {
                case NONE -> coordinator = InetSocketAddress.createUnresolved(each.host(), each.port());
                case GROUP_AUTHORIZATION_FAILED, INVALID_REQUEST ->
                    borrower.fatal(error.exception(each.errorMessage()));
                default -> {
                    wantsCoordinator = true;
                    pausing = true;
                }
            }
        }
    }

    void answered(MetadataResponseData answer) {
        underWay = false;
        // One that is down keeps its address: another one's would do harm.
        answer.brokers()
                .forEach(each ->
                        brokers.put(each.nodeId(), InetSocketAddress.createUnresolved(each.host(), each.port())));
        leaders.clear();
        answer.topics().forEach(topic -> {
            Errors error = Errors.forCode(topic.errorCode());
            if (error == Errors.TOPIC_AUTHORIZATION_FAILED) {
                borrower.fatal(new TopicAuthorizationException(Set.of(topic.name())));
            }
            if (error != Errors.NONE) {
                wantsLeaders = true;
                return;
            }
            names.put(topic.topicId(), topic.name());
            topic.partitions().forEach(each -> {
                if (answer.brokers().find(each.leaderId()) != null) {
                    leaders.put(
                            new TopicIdPartition(topic.topicId(), each.partitionIndex(), topic.name()),
                            each.leaderId());
                } else {
                    wantsLeaders = true;
                }
            });
        });
    }
}
