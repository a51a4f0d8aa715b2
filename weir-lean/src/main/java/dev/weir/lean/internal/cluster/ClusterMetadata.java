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
 * Manages a client's metadata requests: chooses the broker with {@link AskedInTurn}, schedules the requests, and passes
 * the responses to the {@link ClusterView}. The caller owns the connection. Confined to one thread.
 */
public final class ClusterMetadata {

    /** The version of the metadata request. */
    public static final short VERSION = 11;

    /** The time that must pass after a call of {@link #refused} before a complete response resets the backoff. */
    private static final long SETTLED_NANOS = 500_000_000;

    /**
     * The minimum time between two switches to another broker because of unhelpful responses. The time doubles each
     * time all brokers have been tried without success. Without this minimum, the client would reconnect after every
     * two responses as long as a partition has no leader.
     */
    private static final long STAY_NANOS = 200_000_000;

    private static final int MOST_DOUBLINGS = 5;

    private final List<BrokerAddress> bootstrap;
    private final ClusterView view;
    private final RetryBackoff backoff;
    private final long maxAgeNanos;
    private final AskedInTurn turns = new AskedInTurn();
    private final Map<Integer, BrokerAddress> addresses = new HashMap<>();

    /** The brokers listed in the last response. */
    private List<BrokerAddress> named = List.of();

    /** The address of the current connection, as it is written in the settings or the metadata. */
    private InetSocketAddress asked = InetSocketAddress.createUnresolved("", 0);

    private boolean wanted = true;

    /**
     * True if the last response was wrong or incomplete. The next request then waits for {@link #backoff}, unless
     * {@link #wanted} is also true.
     */
    private boolean wantedLater;

    private boolean underWay;
    private long askedNanos;
    private boolean refused;
    private long refusedNanos;
    private boolean hasLeft;
    private long leftNanos;

    /** True if the last response contradicts another broker's. The next broker is then asked immediately. */
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

    /**
     * Chooses the broker for the next connection, and returns its address. Resolves at most one host name per call,
     * because resolving an unknown name takes seconds.
     */
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

    /**
     * Requests new metadata after a backoff, because the last response was wrong or incomplete. If a request is already
     * in flight or scheduled, does not schedule another one.
     */
    public void wantLater(long nowNanos) {
        turns.doubt();
        if (!wanted && !wantedLater && !underWay) {
            wantedLater = true;
            backoff.failed(nowNanos);
        }
    }

    /**
     * Requests new metadata after a backoff, because a partition could not be fetched from the broker named in the
     * metadata. The backoff keeps growing while such failures continue.
     */
    public void refused(long nowNanos) {
        refused = true;
        refusedNanos = nowNanos;
        wantLater(nowNanos);
    }

    /**
     * Reports that the connected broker could not fulfill a request other than a metadata request. The response counts
     * as unhelpful for the choice of the next broker.
     */
    public void unhelpful() {
        turns.answered();
        turns.doubt();
    }

    /** Asks another broker as soon as possible, because the last response contradicts an earlier report. */
    public void contradicted() {
        turns.contradicted();
        contradicted = true;
        wanted = true;
    }

    /** Returns whether the connection should be closed now, so that the next request goes to another broker. */
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

    /** The number of brokers that can be asked, including the bootstrap addresses. */
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
     * Returns the number of partitions of the topic in a response. Ignores an entry whose partition index is too large
     * for the number of entries: either its index is wrong, or entries with lower indexes are missing. If the client
     * trusted a huge index, it would allocate memory for all lower ones.
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
