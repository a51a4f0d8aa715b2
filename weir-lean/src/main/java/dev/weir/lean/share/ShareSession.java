package dev.weir.lean.share;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.PendingAcknowledgements.Packet;
import dev.weir.lean.spi.InvariantException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.NodeEndpoint;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The share session with one broker: its partitions, its epoch, and at most one request in flight. A second request
 * would make the broker discard the response to the first one (KIP-932: fetches and acknowledgements use the same
 * epoch). Confined to the member's thread.
 *
 * <pre>
 *   CLOSED (epoch 0)  a fetch without acknowledgements opens it      -> OPEN
 *   OPEN (1, 2, ...)  sends one request after the other              -> CLOSED, if the broker has lost the session
 *                     epoch -1 releases all acquired records         -> ENDED
 * </pre>
 *
 * <p>When the connection is lost, the broker ends the session and releases its locks. A member that opens a new session
 * on the same connection keeps its locks.
 */
final class ShareSession {

    private static final Logger LOG = LoggerFactory.getLogger(ShareSession.class);

    private static final int TO_OPEN = 0;
    private static final int FINAL = -1;

    private static final long FEW_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long PAUSE_NANOS = 100_000_000;

    /** Divisor for raising {@code mostRecords} after a response with at least that many records. */
    private static final int GROWTH = 8;

    /** Number of consecutive full responses that show a backlog. */
    private static final int BACKLOG = 3;

    /** Maximum number of full responses before {@code mostRecords} grows. */
    private static final int MOST_FULL_RESPONSES = 1_024;

    /**
     * The limits of a turn.
     *
     * @param credits the maximum number of records to request
     * @param threshold the minimum number of credits for a fetch while no acknowledgement is due
     * @param window the maximum number of acquired offsets in a partition, as far as is known
     * @param flush true to send acknowledgements without delay
     */
    record Turn(int credits, int threshold, long window, boolean flush) {}

    private record Sent(boolean fetch, boolean ends, int asked, long atNanos, Map<AcquiredRanges, Packet> packets) {}

    final int node;
    final SessionPartitions partitions = new SessionPartitions();
    private final ShareRequests requests;
    private final AcquiredRecordReceiver receiver;
    private final SessionAnswers answers;
    private int epoch = TO_OPEN;
    private long fetchedNanos;
    private @Nullable Sent underWay;
    private long notBeforeNanos;
    private boolean pausing;
    private boolean ended;
    private boolean foundNothing;

    /** Number of consecutive fetches that returned at least as many records as requested. */
    private int filled;

    private long roundTripNanos;

    /** Maximum number of records to request. Lowered when a quota makes the broker discard a response. */
    private int mostRecords = Integer.MAX_VALUE;

    /** Number of full responses before {@code mostRecords} grows. Doubles if a larger request exceeds a quota. */
    private int growAfter = 1;

    private int fullResponses;
    private boolean grown;
    private boolean quotaReported;

    /** Reason why the broker last refused the whole session; NONE after a response with records. */
    private Errors refusal = Errors.NONE;

    ShareSession(int node, ShareRequests requests, AcquiredRecordReceiver receiver, SessionAnswers answers) {
        this.node = node;
        this.requests = requests;
        this.receiver = receiver;
        this.answers = answers;
    }

    /** Returns the number of records requested by the fetch in flight; 0 if there is none. */
    int asked() {
        return underWay == null ? 0 : underWay.asked;
    }

    boolean isUnderWay() {
        return underWay != null;
    }

    boolean foundNothing() {
        return foundNothing;
    }

    /** Returns the time at which the last fetch was sent; meaningless before the first one. */
    long fetchedNanos() {
        return fetchedNanos;
    }

    /** Returns whether the broker seems to have a backlog: several fetches returned as many records as requested. */
    boolean hasBacklog() {
        return filled >= BACKLOG;
    }

    /** Returns the round trip of the last fetch. */
    long roundTripNanos() {
        return roundTripNanos;
    }

    /** Returns whether nothing is acquired, no acknowledgement is pending, and no request is in flight. */
    boolean isQuiet() {
        return underWay == null && partitions.areQuiet();
    }

    /** Returns whether the broker does not have the session. */
    boolean hasEnded() {
        return ended || (epoch == TO_OPEN && underWay == null);
    }

    /** Returns the next request and marks it as in flight; null if nothing is due. */
    @Nullable
    ApiMessage next(long nowNanos, Turn turn) {
        if (underWay != null || ended || (pausing && nowNanos - notBeforeNanos < 0)) {
            return null;
        }
        pausing = false;
        partitions.forgetOver();
        boolean renews = partitions.haveRenewals();
        if (epoch == TO_OPEN) {
            return open(nowNanos, turn, renews);
        }
        if (renews) {
            return acknowledge(nowNanos, partitions.takeRenewals());
        }
        boolean due = partitions.haveDueAcks(nowNanos, turn.flush, false);
        if (partitions.haveDueAcks(nowNanos, turn.flush, true)) {
            return acknowledge(nowNanos, partitions.takeAcks(false));
        }
        // If few credits are free, wait for more, but not for long.
        boolean waited = nowNanos - fetchedNanos >= FEW_AGE_NANOS;
        boolean worth = turn.credits >= turn.threshold || due || partitions.open() == 0 || waited;
        // Fetch occasionally even at the limit: other members may have freed locks.
        if (turn.credits > 0 && partitions.areWanted() && worth && (waited || !partitions.areFull(turn.window))) {
            return fetch(nowNanos, turn.credits, partitions.takeAcks(true));
        }
        return due ? acknowledge(nowNanos, partitions.takeAcks(false)) : null;
    }

    private @Nullable ApiMessage open(long nowNanos, Turn turn, boolean renews) {
        if (!partitions.areWanted()) {
            // A session needs a partition to read, and acknowledgements need a session. The acquired records are lost,
            // and delivered again when their locks expire.
            partitions.acquired().forEach(of -> lose(of, Errors.SHARE_SESSION_NOT_FOUND));
            return null;
        }
        boolean waits = renews || partitions.haveAcks();
        return turn.credits < 1 && !waits ? null : fetch(nowNanos, Math.max(1, turn.credits), Map.of());
    }

    /** Returns the request that ends the session; null if a request is in flight or the session has ended. */
    @Nullable
    ApiMessage last(long nowNanos) {
        if (underWay != null || hasEnded()) {
            return null;
        }
        epoch = FINAL;
        Map<AcquiredRanges, Packet> packets = partitions.takeAcks(false);
        begin(new Sent(false, true, 0, nowNanos, packets));
        return requests.acknowledge(epoch, packets);
    }

    private void begin(Sent next) {
        if (underWay != null) {
            throw new InvariantException(
                    35,
                    "at most one request is under way per session",
                    "broker=" + node + " epoch=" + epoch + " sent=" + underWay.atNanos + " next=" + next.atNanos);
        }
        underWay = next;
    }

    private ApiMessage fetch(long nowNanos, int free, Map<AcquiredRanges, Packet> packets) {
        int records = Math.min(free, mostRecords);
        if (epoch == TO_OPEN) {
            partitions.unlist();
        }
        SessionPartitions.Changes changes = partitions.list(packets.keySet());
        boolean idle = packets.isEmpty() && partitions.open() == 0 && !partitions.areTakingTurns();
        begin(new Sent(true, false, records, nowNanos, packets));
        fetchedNanos = nowNanos;
        return requests.fetch(epoch, records, partitions.wanted(), idle, changes.added(), changes.forgotten(), packets);
    }

    ApiMessage acknowledge(long nowNanos, Map<AcquiredRanges, Packet> packets) {
        begin(new Sent(false, false, 0, nowNanos, packets));
        return requests.acknowledge(epoch, packets);
    }

    void answered(ShareFetchResponseData answer, long nowNanos) {
        Sent sent = take(answer.throttleTimeMs(), nowNanos);
        if (sent == null || !accepts(sent, answer.errorCode(), answer.errorMessage(), nowNanos)) {
            return;
        }
        Set<AcquiredRanges> acknowledged = new HashSet<>();
        Set<AcquiredRanges> refused = new HashSet<>();
        List<SessionAnswers.PartitionAnswer> partitionAnswers = new ArrayList<>();
        answer.responses()
                .forEach(topic -> topic.partitions().forEach(each -> {
                    AcquiredRanges of = partitions.find(topic.topicId(), each.partitionIndex());
                    if (of == null) {
                        return;
                    }
                    Packet packet = sent.packets.get(of);
                    if (packet != null) {
                        acknowledged.add(of);
                        settle(of, packet, Errors.forCode(each.acknowledgeErrorCode()), sent.atNanos, nowNanos);
                    }
                    if (each.errorCode() != Errors.NONE.code()) {
                        if (refusedFetch(of, Errors.forCode(each.errorCode()))) {
                            refused.add(of);
                        }
                    } else if (!each.acquiredRecords().isEmpty()) {
                        partitionAnswers.add(new SessionAnswers.PartitionAnswer(of, each));
                    }
                    if (isElsewhere(each.errorCode()) || isElsewhere(each.acknowledgeErrorCode())) {
                        int leader = each.currentLeader().leaderId();
                        NodeEndpoint at = answer.nodeEndpoints().find(leader);
                        InetSocketAddress address =
                                at == null ? null : InetSocketAddress.createUnresolved(at.host(), at.port());
                        answers.leads(of.id, leader, each.currentLeader().leaderEpoch(), address);
                    }
                }));
        refuseUnanswered(sent, acknowledged);
        int records = answers.handOn(partitionAnswers, sent.atNanos, nowNanos);
        if (!refused.isEmpty() && records == 0) {
            pause(nowNanos, PAUSE_NANOS); // Brokers refuse a fetch immediately, so the retry is delayed here.
        }
        if (records > 0) {
            refusal = Errors.NONE;
        }
        // The broker may have discarded the records because of a quota, or there were none.
        if (answer.throttleTimeMs() > 0 && records == 0) {
            throttled(sent.asked, answer.throttleTimeMs());
        } else if (records >= mostRecords && ++fullResponses >= growAfter) {
            fullResponses = 0;
            grown = true;
            mostRecords += Math.min(Integer.MAX_VALUE - mostRecords, 1 + mostRecords / GROWTH);
        }
        foundNothing = records == 0 && !partitions.areTakingTurns();
        filled = records < sent.asked || !refused.isEmpty() ? 0 : filled + 1;
        if (hasBacklog()) {
            partitionAnswers.forEach(each -> partitions.endTurn(each.of().id));
        } else {
            partitions.endTurns();
        }
        roundTripNanos = nowNanos - sent.atNanos;
        receiver.fetched(records, roundTripNanos, partitions.open() == 0);
    }

    void answered(ShareAcknowledgeResponseData answer, long nowNanos) {
        Sent sent = take(answer.throttleTimeMs(), nowNanos);
        if (sent == null || !accepts(sent, answer.errorCode(), answer.errorMessage(), nowNanos)) {
            return;
        }
        Set<AcquiredRanges> acknowledged = new HashSet<>();
        answer.responses()
                .forEach(topic -> topic.partitions().forEach(each -> {
                    AcquiredRanges of = partitions.find(topic.topicId(), each.partitionIndex());
                    Packet packet = of == null ? null : sent.packets.get(of);
                    if (of != null && packet != null) {
                        acknowledged.add(of);
                        settle(of, packet, Errors.forCode(each.errorCode()), sent.atNanos, nowNanos);
                    }
                    if (of != null && isElsewhere(each.errorCode())) {
                        int leader = each.currentLeader().leaderId();
                        ShareAcknowledgeResponseData.NodeEndpoint at =
                                answer.nodeEndpoints().find(leader);
                        InetSocketAddress address =
                                at == null ? null : InetSocketAddress.createUnresolved(at.host(), at.port());
                        answers.leads(of.id, leader, each.currentLeader().leaderEpoch(), address);
                    }
                }));
        refuseUnanswered(sent, acknowledged);
    }

    /** Returns whether the error means that another broker leads the partition. Only then does the response name it. */
    private static boolean isElsewhere(short error) {
        return error == Errors.NOT_LEADER_OR_FOLLOWER.code() || error == Errors.FENCED_LEADER_EPOCH.code();
    }

    private @Nullable Sent take(int throttleMillis, long nowNanos) {
        Sent sent = underWay;
        underWay = null;
        pause(nowNanos, throttleMillis * 1_000_000L);
        return sent;
    }

    /**
     * Requests fewer records from now on. Brokers acquire records before they apply quotas
     * ({@code KafkaApis.processShareFetchResponse} of Kafka 4.4), and deliver discarded records again when their locks
     * expire.
     */
    private void throttled(int asked, int millis) {
        mostRecords = Math.max(1, asked / 2);
        growAfter = grown ? Math.min(MOST_FULL_RESPONSES, 2 * growAfter) : growAfter;
        fullResponses = 0;
        grown = false;
        receiver.emptied();
        if (!quotaReported) {
            quotaReported = true;
            LOG.warn(
                    "a quota makes broker {} delay answers by {} ms, and may have removed the records of an answer;"
                            + " they are then delivered again after their lock, with one delivery fewer left: raise"
                            + " consumer_byte_rate or request_percentage of this client",
                    node,
                    millis);
        }
    }

    /** Sends no requests for the given time. A current pause that ends later stays. */
    private void pause(long nowNanos, long nanos) {
        long until = nowNanos + nanos;
        if (!pausing || until - notBeforeNanos > 0) {
            notBeforeNanos = until;
        }
        pausing = true;
    }

    /** Returns the epoch of the next request. The largest epoch is followed by 1, because 0 opens a session. */
    static int epochAfter(int epoch) {
        return epoch == Integer.MAX_VALUE ? TO_OPEN + 1 : epoch + 1;
    }

    /**
     * Returns whether the broker processed the request. If the broker did not know the session or its epoch, the
     * acknowledgements are queued again. After any other error, or in the last request of a session, they count as
     * refused.
     */
    private boolean accepts(Sent sent, short code, @Nullable String message, long nowNanos) {
        Errors error = Errors.forCode(code);
        if (error == Errors.NONE) {
            epoch = epochAfter(epoch);
            ended = sent.ends;
            return true;
        }
        if (sent.ends) {
            ended = true;
            sent.packets.forEach((of, packet) -> refused(of, packet.acks(), error));
            return false;
        }
        if (error == Errors.GROUP_AUTHORIZATION_FAILED || error == Errors.TOPIC_AUTHORIZATION_FAILED) {
            receiver.fatal(error.exception(message));
        }
        epoch = TO_OPEN;
        if (error == Errors.SHARE_SESSION_NOT_FOUND || error == Errors.INVALID_SHARE_SESSION_EPOCH) {
            LOG.info("share session with broker {}: {}; it is opened again", node, error);
            sent.packets.forEach((of, packet) -> of.pending.putBack(packet));
        } else {
            tellRefusal(error, message);
            pause(nowNanos, PAUSE_NANOS);
            sent.packets.forEach((of, packet) -> refused(of, packet.acks(), error));
        }
        return false;
    }

    /** Logs a new reason for which the session is refused. The session is retried ten times per second. */
    private void tellRefusal(Errors error, @Nullable String message) {
        if (error != refusal) {
            refusal = error;
            LOG.warn(
                    "broker {} refuses the share session, and is asked again until it accepts it: {}: {}",
                    node,
                    error,
                    message == null ? error.message() : message);
        }
    }

    private void settle(AcquiredRanges of, Packet packet, Errors error, long sentNanos, long nowNanos) {
        switch (error) {
            case NONE -> packet.acks().forEach(ack -> confirmed(of, ack, sentNanos, nowNanos));
            case INVALID_RECORD_STATE -> {
                AcknowledgementRange toBlame = of.pending.split(packet);
                if (toBlame != null && toBlame.type() == AcknowledgementRange.RENEW) {
                    notRenewed(of, toBlame, error);
                } else if (toBlame != null) {
                    refused(of, List.of(toBlame), error);
                }
            }
            case NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH, UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID -> {
                refused(of, packet.acks(), error);
                moved(of, error);
            }
            case COORDINATOR_LOAD_IN_PROGRESS,
                    COORDINATOR_NOT_AVAILABLE,
                    NOT_COORDINATOR,
                    REQUEST_TIMED_OUT,
                    UNKNOWN_SERVER_ERROR -> {
                // The broker could not persist them (SharePartition.fetchPersisterError). The locks still exist.
                of.pending.putBack(packet);
                pause(nowNanos, PAUSE_NANOS);
            }
            default -> refused(of, packet.acks(), error);
        }
    }

    private void confirmed(AcquiredRanges of, AcknowledgementRange ack, long sentNanos, long nowNanos) {
        if (ack.type() == AcknowledgementRange.RENEW) {
            for (AcquiredRange range : of.touching(ack.first(), ack.last())) {
                range.renewed(new Lock(sentNanos, answers.lockNanos()));
            }
        }
        if (ack.records() > 0) {
            receiver.confirmed(AcknowledgeType.forId(ack.type()), ack.records(), nowNanos - sentNanos);
        }
    }

    /**
     * Handles a refused renewal. The error is the same for a lost lock and for a group that allows no renewals
     * ({@code share.renew.acknowledge.enable} is false). Records that finish before the lock expires are still
     * acknowledged.
     */
    private void notRenewed(AcquiredRanges of, AcknowledgementRange ack, Errors error) {
        of.touching(ack.first(), ack.last()).forEach(AcquiredRange::notRenewed);
        receiver.notRenewed(place(of, ack), ack.records(), error.name());
    }

    private static String place(AcquiredRanges of, AcknowledgementRange ack) {
        return of + "@" + ack.first() + (ack.first() == ack.last() ? "" : ".." + ack.last());
    }

    /** Handles acknowledgements that the broker refused because the locks no longer exist. */
    private void refused(AcquiredRanges of, List<AcknowledgementRange> acks, Errors error) {
        for (AcknowledgementRange ack : acks) {
            if (ack.type() == AcknowledgementRange.RENEW) {
                of.touching(ack.first(), ack.last())
                        .forEach(
                                range -> range.loseOpen(ack.first(), ack.last()).forEach(receiver::lost));
            }
            if (ack.records() > 0) {
                receiver.refused(place(of, ack), AcknowledgeType.forId(ack.type()), ack.records(), error.name());
            }
        }
        of.removeOver();
    }

    private void refuseUnanswered(Sent sent, Set<AcquiredRanges> acknowledged) {
        sent.packets.forEach((of, packet) -> {
            if (!acknowledged.contains(of)) {
                refused(of, packet.acks(), Errors.UNKNOWN_SERVER_ERROR);
            }
        });
    }

    /** Handles a refused fetch. Returns true to fetch the partition from this broker again. */
    private boolean refusedFetch(AcquiredRanges of, Errors error) {
        switch (error) {
            case TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED -> receiver.fatal(error.exception());
            case NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH, UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID ->
                moved(of, error);
            case KAFKA_STORAGE_ERROR, REPLICA_NOT_AVAILABLE, OFFSET_NOT_AVAILABLE, INCONSISTENT_TOPIC_ID -> {
                // The error does not concern the partition's locks, which may still exist.
                tell(of, error);
                partitions.wantNoMore(of.id);
                answers.moved(of.id);
            }
            default -> {
                tell(of, error);
                answers.moved();
                return true;
            }
        }
        return false;
    }

    private void tell(AcquiredRanges of, Errors error) {
        if (answers.isNews(of.id, error)) {
            LOG.warn("{} cannot be fetched from broker {} now: {}", of, node, error);
        }
    }

    /** Handles a partition that has moved to another broker, together with its locks. */
    private void moved(AcquiredRanges of, Errors error) {
        lose(of, error);
        partitions.wantNoMore(of.id);
        answers.moved(of.id);
    }

    private void lose(AcquiredRanges of, Errors error) {
        of.pending.clear().forEach(packet -> refused(of, packet.acks(), error));
        of.loseAll().forEach(receiver::lost);
    }

    /** Handles a lost connection. The broker has released the session's records. */
    void lost() {
        Sent sent = underWay;
        underWay = null;
        epoch = TO_OPEN;
        if (sent != null) {
            sent.packets.forEach((of, packet) -> refused(of, packet.acks(), Errors.NETWORK_EXCEPTION));
        }
        partitions.acquired().forEach(of -> lose(of, Errors.NETWORK_EXCEPTION));
        answers.moved();
    }
}
