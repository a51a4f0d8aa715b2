package dev.weir.lean.internal.consumer;

import dev.weir.lean.PartitionException;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.internal.cluster.TopicIdAgreement;
import dev.weir.lean.internal.cursor.PartitionCursor;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * An assigned partition. Contains the fetch state; the cursor contains the delivery state. Confined to one thread.
 *
 * <p>The {@link #state} is {@link #LOCATING}, {@link #RESOLVING}, {@link #FETCHING} or {@link #FAILED}. ADR 26 has a
 * diagram.
 */
final class FetchedPartition {

    /** State: the leader is unknown, and the partition waits for metadata. */
    static final int LOCATING = 0;

    /** State: the offset of the start position is being looked up on the leader. */
    static final int RESOLVING = 1;

    /** State: the partition is fetched from its broker, unless it is paused. */
    static final int FETCHING = 2;

    /** State: reading has failed, and the partition waits for a seek. The exception may not have been thrown yet. */
    static final int FAILED = 3;

    /** The value of {@link #contradictedBy} while no response contradicts {@link #placedIn}. */
    static final int NOBODY = TopicIdAgreement.UNKNOWN_NODE - 1;

    private static final int UNKNOWN = -1;

    final FetchedTopic topic;
    final int number;
    final PartitionCursor cursor;

    int state = LOCATING;
    boolean paused;

    /** True if the partition is queued for delivery. */
    boolean queued;

    /** The start position while its offset is unknown; null afterwards. */
    @Nullable
    StartAt start;

    /**
     * The end of the log; -1 if unknown. Used only if the start is a timestamp, in which case the end is requested from
     * the leader before the start offset.
     */
    long endBefore = UNKNOWN;

    /**
     * The id of the topic that the start position belongs to. Null if the caller has not set an id, or if the id was
     * confirmed or refuted by metadata.
     */
    @Nullable
    Uuid placedIn;

    /** The first broker that contradicted {@link #placedIn}; negative if there is none, or if it is unknown. */
    int contradictedBy = NOBODY;

    long fetchOffset = UNKNOWN;

    /** The epoch of the batch before the fetch offset; -1 if unknown. */
    int lastEpoch = UNKNOWN;

    /**
     * The epoch of the batch before the fetch offset, if the leader does not know that epoch; otherwise -1. The epoch
     * of the next batch shows whether the partition's log has lost records.
     */
    int doubtedEpoch = UNKNOWN;

    final PartitionLeader leader = new PartitionLeader();

    /** The broker to fetch from, which is the leader or a nearer replica. */
    @Nullable
    FetchBroker broker;

    /** The time at which fetching from the nearer replica ends. */
    long followUntilNanos;

    /** True if the nearer replica has answered a fetch for this partition. */
    boolean servedNearby;

    // The state of the partition in the broker's fetch session, as of the last request
    boolean inSession;
    long sentOffset;
    int sentLeaderEpoch;
    int sentLastEpoch;

    /**
     * The value of {@link PartitionCursor#moves()} when the start offset was last requested. If the value has changed
     * when the response arrives, the position was changed in between, and the response is ignored.
     */
    int askedAtMove = UNKNOWN;

    /** True if the start offset must not be requested again before {@link #retryAtNanos}. */
    private boolean retries;

    private long retryAtNanos;

    long highWatermark = UNKNOWN;
    long lastStableOffset = UNKNOWN;

    /** The exception to throw after all earlier records have been delivered; null if there is none. */
    @Nullable
    PartitionException fault;

    /** The offset after the faulty batch; -1 if there is no such batch, or if its end is unknown. */
    long offsetBehindFault = UNKNOWN;

    /** A private copy of the faulty batch; null if unavailable. */
    byte @Nullable [] bytesAtFault;

    FetchedPartition(FetchedTopic topic, int number, PartitionCursor cursor) {
        this.topic = topic;
        this.number = number;
        this.cursor = cursor;
    }

    boolean wantsFetch() {
        return state == FETCHING && !paused;
    }

    /**
     * Returns whether the partition is new to the session, or its offset or epochs have changed since the last request.
     */
    boolean isNewToSession() {
        return !inSession
                || sentOffset != fetchOffset
                || sentLeaderEpoch != leader.epoch()
                || sentLastEpoch != lastEpoch;
    }

    /**
     * Returns whether a fetch response is for the current fetch offset. If not, the position was changed after the
     * request was sent.
     */
    boolean isAnswered() {
        return state == FETCHING && inSession && sentOffset == fetchOffset;
    }

    /**
     * Returns whether the end of the log must be requested before the offset for the start timestamp. Reading starts at
     * this end if no record has the timestamp or a later one. The end is requested first so that records appended
     * between the two requests are not missed.
     */
    boolean wantsEndFirst() {
        return start != null && start.timestampMillis() >= 0 && endBefore < 0;
    }

    /** Makes the partition ignore the outstanding response for its start offset. The offset is requested again. */
    void forgetQuestion() {
        askedAtMove = UNKNOWN;
        endBefore = UNKNOWN;
    }

    /** Returns whether a response is for the current start position. Also marks the request as answered. */
    boolean takesAnswer() {
        boolean current = state == RESOLVING && askedAtMove == cursor.moves();
        askedAtMove = UNKNOWN;
        return current;
    }

    /** Delays the next request for the start offset. */
    void retryAt(long nanos) {
        retries = true;
        retryAtNanos = nanos;
    }

    /** Returns whether the start offset may be requested. */
    boolean isDue(long nowNanos) {
        retries = retries && nowNanos - retryAtNanos < 0;
        return !retries;
    }

    boolean isFollowing() {
        return broker != null && broker.id != leader.node();
    }

    /** Omits the epoch from fetch requests, because the leader does not know it. Keeps it in {@link #doubtedEpoch}. */
    void doubtEpoch() {
        doubtedEpoch = lastEpoch;
        lastEpoch = UNKNOWN;
    }

    /**
     * Includes {@link #doubtedEpoch} in fetch requests again, because the partition's new leader may know that epoch.
     */
    void believeEpoch() {
        if (doubtedEpoch >= 0) {
            lastEpoch = doubtedEpoch;
            doubtedEpoch = UNKNOWN;
        }
    }

    /** Moves to an offset, and discards fetched records. */
    void moveTo(long offset, int epoch) {
        cursor.moveTo(offset, epoch);
        fetchOffset = offset;
        lastEpoch = epoch;
        doubtedEpoch = UNKNOWN;
        start = null;
        endBefore = UNKNOWN;
        placedIn = null;
        contradictedBy = NOBODY;
        fault = null;
        offsetBehindFault = UNKNOWN;
        bytesAtFault = null;
    }

    /**
     * Moves to a position, and discards fetched records. If the position is a beginning, an end or a timestamp, the
     * leader determines its offset later.
     */
    void moveTo(StartAt place) {
        moveTo(place.offset(), place.leaderEpoch());
        if (place.offset() < 0) {
            start = place;
        }
    }

    void fail(PartitionException why, long behind) {
        state = FAILED;
        fault = why;
        offsetBehindFault = behind;
    }

    @Override
    public String toString() {
        return topic.name + "-" + number;
    }
}
