package dev.weir.lean.internal.cluster;

import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/**
 * Schedules a client's metadata requests and passes the responses to the {@link ClusterView}. {@link AskedInTurn}
 * chooses the broker. The caller owns the connection. Confined to one thread.
 */
public final class ClusterMetadata {

    /** The version of the metadata request. */
    public static final short VERSION = 11;

    /** Time without a {@link #refused} call after which a complete response resets the backoff. */
    private static final long SETTLED_NANOS = 500_000_000;

    /** Minimum time between two switches to another broker. Doubles after each round of all brokers without success. */
    private static final long STAY_NANOS = 200_000_000;

    private static final int MOST_DOUBLINGS = 5;

    private final List<BrokerAddress> bootstrap;
    private final ClusterView view;
    private final RetryBackoff backoff;
    private final long maxAgeNanos;
    private final AskedInTurn turns = new AskedInTurn();
    private final Map<Integer, BrokerAddress> addresses = new HashMap<>();

    private List<BrokerAddress> named = List.of();

    /** Address of the current connection, as in the settings or the metadata. */
    private InetSocketAddress asked = InetSocketAddress.createUnresolved("", 0);

    private boolean wanted = true;

    /** True to send a request after the {@link #backoff}, because the last response was wrong or incomplete. */
    private boolean wantedLater;

    private boolean underWay;
    private long askedNanos;
    private boolean refused;
    private long refusedNanos;
    private boolean hasLeft;
    private long leftNanos;

    /** True if the last response contradicts another broker's. The next request goes to another broker immediately. */
    private boolean contradicted;

    /**
     * @param backoff determines the wait after a wrong or incomplete response
     * @param maxAgeNanos the age at which metadata are refreshed, from another broker
     */
    public ClusterMetadata(List<BrokerAddress> bootstrap, ClusterView view, RetryBackoff backoff, long maxAgeNanos) {
        this.bootstrap = bootstrap;
        this.view = view;
        this.backoff = backoff;
        this.maxAgeNanos = maxAgeNanos;
    }

    /** Returns the next broker's address. Resolves only one host name, because an unknown one takes seconds. */
    public InetSocketAddress nextAddress() {
        int at = turns.next(named.size(), bootstrap.size());
        BrokerAddress next = at < named.size() ? named.get(at) : bootstrap.get(at - named.size());
        asked = next.unresolved();
        List<InetSocketAddress> all = next.get();
        return all.get(turns.round(named.size(), bootstrap.size()) % all.size());
    }

    /** Requests new metadata as soon as possible. */
    public void want() {
        wanted = true;
    }

    /** Requests new metadata as soon as possible, because the last response may be wrong. */
    public void doubt() {
        turns.doubt();
        wanted = true;
    }

    /** Requests new metadata after a backoff, unless a request is already in flight or scheduled. */
    public void wantLater(long nowNanos) {
        turns.doubt();
        if (!wanted && !wantedLater && !underWay) {
            wantedLater = true;
            backoff.failed(nowNanos);
        }
    }

    /** Requests new metadata after a growing backoff, because the broker in the metadata refused a fetch. */
    public void refused(long nowNanos) {
        refused = true;
        refusedNanos = nowNanos;
        wantLater(nowNanos);
    }

    /** Reports a failed request of another kind, which counts as an unhelpful response. */
    public void unhelpful() {
        turns.answered();
        turns.doubt();
    }

    /** Requests metadata from another broker as soon as possible, because two brokers contradict each other. */
    public void contradicted() {
        turns.contradicted();
        contradicted = true;
        wanted = true;
    }

    /** Returns whether to close the connection now, so that the next request goes to another broker. */
    public boolean leave(long nowNanos) {
        boolean old = isOld(nowNanos);
        if (underWay || !turns.isEnough(old) || (!old && !contradicted && stays(nowNanos))) {
            return false;
        }
        hasLeft = true;
        leftNanos = nowNanos;
        contradicted = false;
        wanted |= old;
        turns.left();
        return true;
    }

    private boolean stays(long nowNanos) {
        int rounds = Math.min(MOST_DOUBLINGS, turns.round(named.size(), bootstrap.size()));
        return hasLeft && nowNanos - leftNanos < STAY_NANOS << rounds;
    }

    public boolean isDue(long nowNanos) {
        wanted |= isOld(nowNanos);
        return !underWay && (wanted || (wantedLater && backoff.isDue(nowNanos)));
    }

    private boolean isOld(long nowNanos) {
        return nowNanos - askedNanos > maxAgeNanos;
    }

    /** Returns whether a request still has to be sent, either now or after a backoff. */
    public boolean isPutOff() {
        return (wanted || wantedLater) && !underWay;
    }

    /** Creates the request that is due, and marks it as sent. */
    public MetadataRequestData ask(Stream<String> topics, long nowNanos) {
        underWay = true;
        wanted = false;
        wantedLater = false;
        askedNanos = nowNanos;
        return new MetadataRequestData()
                .setTopics(topics.map(name -> new MetadataRequestTopic().setName(name))
                        .toList())
                .setAllowAutoTopicCreation(false);
    }

    /** Reports that the connection was lost or could not be opened. */
    public void lost() {
        turns.failed();
        wanted |= underWay;
        underWay = false;
    }

    /** Number of brokers that can be asked, including the bootstrap addresses. */
    public int size() {
        return named.size() + bootstrap.size();
    }

    /** Returns whether any broker has responded so far. */
    public boolean isKnown() {
        return !addresses.isEmpty();
    }

    /** Processes a response. */
    public void answered(MetadataResponseData answer, long nowNanos) {
        underWay = false;
        turns.answered();
        int node = TopicIdAgreement.nodeAt(asked.getHostString(), asked.getPort(), answer);
        List<BrokerAddress> all = new ArrayList<>();
        answer.brokers().forEach(each -> all.add(learn(each.nodeId(), each.host(), each.port())));
        named = all;
        boolean complete = true;
        for (MetadataResponseTopic topic : answer.topics()) {
            complete &= learn(topic, node, all.size(), nowNanos);
        }
        if (!complete) {
            wantLater(nowNanos);
        } else if (!refused || nowNanos - refusedNanos > SETTLED_NANOS) {
            refused = false;
            backoff.succeeded();
        }
    }

    /**
     * Returns the topic's number of partitions in a response. Ignores partition indexes at or above the number of
     * entries: a huge index would allocate memory for all lower ones.
     */
    public static int countPartitions(MetadataResponseTopic topic) {
        int entries = topic.partitions().size();
        int count = 0;
        for (MetadataResponsePartition each : topic.partitions()) {
            int number = each.partitionIndex();
            count = number < entries ? Math.max(count, number + 1) : count;
        }
        return count;
    }

    private BrokerAddress learn(int node, String host, int port) {
        BrokerAddress known = addresses.get(node);
        if (known == null) {
            BrokerAddress address = new BrokerAddress("broker " + node, host, port);
            addresses.put(node, address);
            view.found(node, address);
            return address;
        }
        if (known.moveTo(host, port)) {
            view.moved(node);
        }
        return known;
    }

    private boolean learn(MetadataResponseTopic topic, int node, int brokers, long nowNanos) {
        TopicIdAgreement agreement = view.agreement(topic.name());
        if (agreement == null) {
            return true;
        }
        Errors error = Errors.forCode(topic.errorCode());
        if (error != Errors.NONE) {
            return view.refused(topic.name(), error);
        }
        Verdict verdict = agreement.hear(topic.topicId(), node, brokers, nowNanos);
        if (verdict == Verdict.CONTRADICTED) {
            contradicted();
        }
        return verdict.isBelieved() && view.learn(topic, verdict);
    }
}
