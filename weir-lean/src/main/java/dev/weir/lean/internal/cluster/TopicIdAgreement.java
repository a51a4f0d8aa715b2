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
 * The topic id that enough brokers agree on. A stale broker may report the id of a deleted topic, which looks like a
 * recreated topic. So an id other than the current one needs the votes of two brokers, and more than the current one
 * has, or a cluster of one broker. If both have the same number of votes, the leaders decide: by refusing the current
 * id itself once all brokers have voted, or by refusing it in another way for {@value #WAIT_SECONDS} seconds. A former
 * id always needs such a refusal, or {@value #WAIT_SECONDS} seconds without a vote for the current id. Confined to one
 * thread.
 */
public final class TopicIdAgreement {

    /** Node id of a broker whose address the metadata do not contain. It has no vote, unless it is the only broker. */
    public static final int UNKNOWN_NODE = -1;

    private static final int WAIT_SECONDS = 10;
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(WAIT_SECONDS);

    /** The time for which a vote is valid, so that a broker that was stale once does not count for ever. */
    private static final long VOTE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int ENOUGH = 2;

    /** Meaning of an answer. */
    public enum Verdict {
        /** The answer has the current id, or none. */
        PRESENT,
        /** The answer has the first id of the topic. */
        FIRST,
        /** The answer has another id, which is now the current one: the topic was recreated. */
        RECREATED,
        /** The answer has another id that is not trusted yet. Ask another broker at once. */
        CONTRADICTED,
        /** The same broker repeats the same other id. Ask another broker later. */
        UNDECIDED;

        /** Returns whether the rest of the answer about the topic can be used. */
        public boolean isBelieved() {
            return this != CONTRADICTED && this != UNDECIDED;
        }
    }

    /** Refusal of the present id by a leader. */
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

    // While brokers disagree.
    private final Map<Integer, Vote> votes = new HashMap<>();
    private long sinceNanos;

    /** Returns the node id of the broker at that address, or {@link #UNKNOWN_NODE}. */
    public static int nodeAt(String host, int port, MetadataResponseData answer) {
        for (MetadataResponseBroker each : answer.brokers()) {
            if (each.port() == port && each.host().equals(host)) {
                return each.nodeId();
            }
        }
        return UNKNOWN_NODE;
    }

    /** Returns the trusted id; zero as long as no broker has reported one. */
    public Uuid present() {
        return present;
    }

    /**
     * Counts an answer.
     *
     * @param id zero if the broker knows no id, which changes nothing
     * @param node the answering broker, or {@link #UNKNOWN_NODE}
     * @param brokers number of brokers in the answer
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
            // A leader that refuses the id is the reason for asking, so the refusal comes first.
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
     * Notes an error in a leader's answer for the current topic. Errors that do not question the metadata are
     * not refusals.
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
