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
 * The topic id that enough brokers agree on. Confined to one thread.
 *
 * <p>A stale broker may report the id of a deleted topic, which looks as if the topic had been recreated. Another id
 * therefore replaces the current id only in one of these cases:
 * <ul>
 * <li>The cluster has only one broker.
 * <li>At least two brokers vote for the other id, and it has more votes than the current id.
 * <li>Both ids have the same number of votes, all brokers have voted, and a partition leader has rejected the current
 * id itself.
 * <li>Both ids have the same number of votes, the brokers have disagreed for {@value #WAIT_SECONDS} seconds, and a
 * leader has rejected a request with any metadata error.
 * </ul>
 *
 * <p>In the first two cases, an id that was current before needs more evidence: a leader must have rejected the current
 * id itself. Alternatively, after {@value #WAIT_SECONDS} seconds, a leader must have rejected a request with another
 * metadata error, or the current id must have no votes.
 */
public final class TopicIdAgreement {

    /** The node id of a broker whose address is not in the metadata. It has no vote, unless it is the only broker. */
    public static final int UNKNOWN_NODE = -1;

    private static final int WAIT_SECONDS = 10;
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(WAIT_SECONDS);

    /** The time for which a vote is valid, so that a broker that was stale once does not count forever. */
    private static final long VOTE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int ENOUGH = 2;

    /** The meaning of a response. */
    public enum Verdict {
        /** The response has the current id, or no id. */
        PRESENT,
        /** The response has the first id seen for the topic. */
        FIRST,
        /** The response has another id, which is now the current one because the topic was recreated. */
        RECREATED,
        /** The response has another id that is not trusted yet. Another broker should be asked at once. */
        CONTRADICTED,
        /** A broker has reported the other id again. Another broker should be asked later. */
        UNDECIDED;

        /** Returns whether the other data about the topic in the response can be used. */
        public boolean isBelieved() {
            return this != CONTRADICTED && this != UNDECIDED;
        }
    }

    /** A leader's rejection of a request for the current id. */
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

    /**
     * Counts the vote in a response.
     *
     * @param id zero if the broker does not know an id, in which case nothing changes
     * @param node the broker that responded, or {@link #UNKNOWN_NODE}
     * @param brokers the number of brokers in the response
     */
    public Verdict hear(Uuid id, int node, int brokers, long nowNanos) {
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
            // A recent rejection is kept. A leader's rejection triggers the metadata request, so it precedes the
            // disagreement.
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

    /**
     * Takes into account an error in a leader's response for the current topic. Ignores errors that do not call the
     * metadata into question.
     */
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
