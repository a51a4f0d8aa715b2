package dev.weir.lean.internal.cluster;

import dev.weir.lean.internal.cluster.TopicIdAgreement.Verdict;
import dev.weir.lean.spi.AskedInTurn;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;

/**
 * The metadata of a client: the broker to ask, which {@link AskedInTurn} chooses, the time of the next request, and the
 * learning of its answer. The caller owns the connection. Confined to one thread.
 */
public final class ClusterMetadata {

    /** Version of the request. */
    public static final short VERSION = 11;

    /** Time without a refusal after which waits are short again. */
    private static final long SETTLED_NANOS = 500_000_000;

    private final List<BrokerAddress> bootstrap;
    private final ClusterView view;
    private final RetryBackoff backoff;
    private final long maxAgeNanos;
    private final AskedInTurn turns = new AskedInTurn();
    private final Map<Integer, BrokerAddress> addresses = new HashMap<>();

    /** The brokers of the last answer. */
    private List<BrokerAddress> named = List.of();

    /** Address of the connection, as the settings or metadata write it. */
    private InetSocketAddress asked = InetSocketAddress.createUnresolved("", 0);

    private boolean wanted = true;

    /** True after an answer that did not help: the next request waits for {@link #backoff}, unless it is wanted. */
    private boolean wantedLater;

    private boolean underWay;
    private long askedNanos;
    private boolean refused;
    private long refusedNanos;

    /**
     * @param backoff waits after answers that did not help
     * @param maxAgeNanos age of an answer from which on another broker is asked
     */
    public ClusterMetadata(List<BrokerAddress> bootstrap, ClusterView view, RetryBackoff backoff, long maxAgeNanos) {
        this.bootstrap = bootstrap;
        this.view = view;
        this.backoff = backoff;
        this.maxAgeNanos = maxAgeNanos;
    }

    /** Chooses the broker of the next connection; looks up one name at most, as an unknown one takes seconds. */
    public InetSocketAddress nextAddress() {
        int at = turns.next(named.size(), bootstrap.size());
        BrokerAddress next = at < named.size() ? named.get(at) : bootstrap.get(at - named.size());
        asked = next.unresolved();
        List<InetSocketAddress> all = next.get();
        return all.get(turns.round(named.size(), bootstrap.size()) % all.size());
    }

    /** Asks again, soon. */
    public void want() {
        wanted = true;
    }

    /** Asks again soon, as the answer may be wrong. */
    public void doubt() {
        turns.doubt();
        wanted = true;
    }

    /** Asks again after a back-off, as the answer, or the one under way, did not help. */
    public void wantLater(long nowNanos) {
        turns.doubt();
        if (!wanted && !wantedLater && !underWay) {
            wantedLater = true;
            backoff.failed(nowNanos);
        }
    }

    /** Asks again after a back-off, as a broker does not lead what metadata say. Waits stay long until that ends. */
    public void refused(long nowNanos) {
        refused = true;
        refusedNanos = nowNanos;
        wantLater(nowNanos);
    }

    /** Reports that the broker asked could not answer something else either. */
    public void unhelpful() {
        turns.answered();
        turns.doubt();
    }

    /** Returns whether to close the connection now, so that another broker is asked. */
    public boolean leave(long nowNanos) {
        boolean old = isOld(nowNanos);
        if (underWay || !turns.isEnough(old)) {
            return false;
        }
        wanted |= old;
        turns.left();
        return true;
    }

    /** Returns whether a request is due. */
    public boolean isDue(long nowNanos) {
        wanted |= isOld(nowNanos);
        return !underWay && (wanted || (wantedLater && backoff.isDue(nowNanos)));
    }

    private boolean isOld(long nowNanos) {
        return nowNanos - askedNanos > maxAgeNanos;
    }

    /** Returns whether a request is due now or later. */
    public boolean isPutOff() {
        return (wanted || wantedLater) && !underWay;
    }

    /** Makes the request that is due, and notes it as sent. */
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

    /** Reports that the connection was lost or could not be made. */
    public void lost() {
        turns.failed();
        wanted |= underWay;
        underWay = false;
    }

    /** Returns the number of addresses that can be asked. */
    public int size() {
        return named.size() + bootstrap.size();
    }

    /** Returns whether a broker has answered. */
    public boolean isKnown() {
        return !addresses.isEmpty();
    }

    /** Learns an answer. */
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
            turns.contradicted();
            wanted = true;
        }
        return verdict.isBelieved() && view.learn(topic, verdict);
    }
}
