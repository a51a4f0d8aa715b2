package dev.weir.lean.internal.cluster;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.protocol.Errors;

/**
 * Determines a topic's id from the responses of several brokers. Confined to one thread.
 *
 * <p>A stale broker may report the id of a deleted topic, which looks as if the topic had been recreated. Each broker's
 * report therefore counts only as a vote. A new id replaces the current id only in one of these cases:
 * <ul>
 * <li>The cluster has only one broker.
 * <li>The new id has at least two votes, and more votes than the current id.
 * <li>Both ids have the same number of votes, every broker has voted for one of them, and a partition leader has
 * rejected the current id as unknown or inconsistent.
 * <li>Both ids have the same number of votes, the brokers have disagreed for {@value #WAIT_SECONDS} seconds, and a
 * partition leader has rejected a request with any metadata error.
 * </ul>
 *
 * <p>The new id may be a former id of the topic. In the first two cases, a former id replaces the current id only if
 * one of these conditions is also true:
 * <ul>
 * <li>A partition leader has rejected the current id as unknown or inconsistent.
 * <li>The brokers have disagreed for {@value #WAIT_SECONDS} seconds, and either a partition leader has rejected a
 * request with any metadata error, or the current id has no votes.
 * </ul>
 */
public final class TopicIdAgreement {

    /** Node id of a broker whose address is not in the metadata. Its vote counts only if it is the only broker. */
    public static final int UNKNOWN_NODE = -1;

    private static final int WAIT_SECONDS = 10;
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(WAIT_SECONDS);

    /** Lifetime of a vote. The vote of a temporarily stale broker must expire. */
    private static final long VOTE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int ENOUGH = 2;

    /** The meaning of a response. */
    public enum Verdict {
        /** The response contains the current topic id, or no id. */
        PRESENT,
        /** The response contains the first id seen for the topic. */
        FIRST,
        /** The response contains a new id. The topic was recreated, and the new id is now the current id. */
        RECREATED,
        /** The response contains a different id, which is not trusted yet. Ask another broker immediately. */
        CONTRADICTED,
        /** The same broker has reported a different id again. Ask another broker after a backoff. */
        UNDECIDED;

        /** Returns whether to use the other information about the topic in the response. */
        public boolean isBelieved() {
            return this != CONTRADICTED && this != UNDECIDED;
        }
    }

    /** The error with which a partition leader has rejected the current topic id. */
    private enum Refusal {
        NONE,
        OTHERWISE,
        BY_ID
    }

    private record Vote(Uuid id, long atNanos) {}

    private Uuid present = Uuid.ZERO_UUID;
    private final Set<Uuid> former = new HashSet<>();

    private Refusal refusal = Refusal.NONE;
    private long refusedNanos;

    // Used only while brokers disagree
    private final Map<Integer, Vote> votes = new HashMap<>();
    private long sinceNanos;

    private int lastNode = UNKNOWN_NODE;
    private int lastBrokers;

    /** Returns the node id of the broker at the given address, or {@link #UNKNOWN_NODE}. */
    public static int nodeAt(String host, int port, MetadataResponseData answer) {
        for (MetadataResponseBroker each : answer.brokers()) {
            if (each.port() == port && each.host().equals(host)) {
                return each.nodeId();
            }
        }
        return UNKNOWN_NODE;
    }

    /** The current id; {@code ZERO_UUID} until a broker has reported one. */
    public Uuid present() {
        return present;
    }

    /** Broker that sent the last response; {@link #UNKNOWN_NODE} if unknown, or if the response had no topic id. */
    public int lastNode() {
        return lastNode;
    }

    /** Returns whether the cluster has only one broker, according to the last response. */
    public boolean hasOneBroker() {
        return lastBrokers == 1;
    }

    /**
     * Counts a broker's response as a vote for a topic id.
     *
     * @param id the topic id in the response; zero if the broker does not know the id, which is not counted as a vote
     * @param node the broker that responded, or {@link #UNKNOWN_NODE}
     * @param brokers the number of brokers in the response
     */
    public Verdict hear(Uuid id, int node, int brokers, long nowNanos) {
        lastNode = id.equals(Uuid.ZERO_UUID) ? UNKNOWN_NODE : node;
        lastBrokers = brokers;
        if (id.equals(Uuid.ZERO_UUID)) {
            return Verdict.PRESENT;
        }
        if (present.equals(Uuid.ZERO_UUID)) {
            present = id;
            return Verdict.FIRST;
        }
        votes.values().removeIf(vote -> nowNanos - vote.atNanos > VOTE_NANOS);
        if (votes.values().stream().allMatch(vote -> vote.id.equals(present))) {
            votes.clear();
            if (id.equals(present)) {
                return Verdict.PRESENT;
            }
            sinceNanos = nowNanos;
            // Keep a recent rejection by a partition leader: it probably led to this disagreement.
            if (nowNanos - refusedNanos > WAIT_NANOS) {
                refusal = Refusal.NONE;
            }
        }
        Vote before = votes.put(node, new Vote(id, nowNanos));
        if (id.equals(present)) {
            return Verdict.PRESENT;
        }
        if (isBelieved(id, brokers, nowNanos)) {
            former.add(present);
            former.remove(id);
            present = id;
            votes.clear();
            refusal = Refusal.NONE;
            return Verdict.RECREATED;
        }
        return before == null || !before.id.equals(id) ? Verdict.CONTRADICTED : Verdict.UNDECIDED;
    }

    /** Records a metadata error of a partition leader as evidence against the current topic id. */
    public void refused(Errors error, long nowNanos) {
        if (!(error.exception() instanceof InvalidMetadataException)) {
            return;
        }
        boolean byId = error == Errors.UNKNOWN_TOPIC_ID || error == Errors.INCONSISTENT_TOPIC_ID;
        if (byId || refusal != Refusal.BY_ID || nowNanos - refusedNanos > WAIT_NANOS) {
            refusal = byId ? Refusal.BY_ID : Refusal.OTHERWISE;
            refusedNanos = nowNanos;
        }
    }

    private boolean isBelieved(Uuid id, int brokers, long nowNanos) {
        long forIt = votesFor(id);
        long forPresent = votesFor(present);
        boolean agreed = brokers == 1 || (forIt >= ENOUGH && forIt > forPresent);
        if (agreed && !former.contains(id)) {
            return true;
        }
        boolean tie = forIt > 0 && forIt == forPresent;
        if (!agreed && !tie) {
            return false;
        }
        if (refusal == Refusal.BY_ID && (agreed || forIt + forPresent >= brokers)) {
            return true;
        }
        boolean waited = nowNanos - sinceNanos >= WAIT_NANOS;
        return waited && (refusal != Refusal.NONE || (agreed && forPresent == 0));
    }

    private long votesFor(Uuid id) {
        return votes.entrySet().stream()
                .filter(each ->
                        each.getKey() != UNKNOWN_NODE && each.getValue().id.equals(id))
                .count();
    }
}
