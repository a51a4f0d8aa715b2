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

    /** Value of {@link #contradictedBy} while no broker contradicts {@link #placedIn}. */
    static final int NOBODY = TopicIdAgreement.UNKNOWN_NODE - 1;

    private static final int UNKNOWN = -1;

    final FetchedTopic topic;
    final int number;
    final PartitionCursor cursor;

    int state = LOCATING;
    boolean paused;

    boolean queued;

    /** The start position while its offset is unknown; null afterwards. */
    @Nullable
    StartAt start;

    /** End of the log; -1 if unknown. Requested from the leader only if the start is a timestamp. */
    long endBefore = UNKNOWN;

    /**
     * Id of the topic in which the start position is valid. Null if the caller has set no id, or once metadata have
     * confirmed or refuted it.
     */
    @Nullable
    Uuid placedIn;

    /** The first broker that contradicted {@link #placedIn}; negative if there is none or it is unknown. */
    int contradictedBy = NOBODY;

    long fetchOffset = UNKNOWN;

    /** The epoch of the batch before the fetch offset; -1 if unknown. */
    int lastEpoch = UNKNOWN;

    /** Epoch of the batch before the fetch offset if the leader does not know that epoch; otherwise -1. */
    int doubtedEpoch = UNKNOWN;

    final PartitionLeader leader = new PartitionLeader();

    /** The broker to fetch from, which is the leader or a nearer replica. */
    @Nullable
    FetchBroker broker;

    /** Time until which the partition is fetched from the nearer replica. */
    long followUntilNanos;

    /** True if the nearer replica has answered a fetch for this partition. */
    boolean servedNearby;

    // The partition's entry in the broker's fetch session, as of the last request
    boolean inSession;
    long sentOffset;
    int sentLeaderEpoch;
    int sentLastEpoch;

    /**
     * Value of {@link PartitionCursor#moves()} at the last request for the start offset. If the value has changed, the
     * response is ignored.
     */
    int askedAtMove = UNKNOWN;

    /** True to wait until {@link #retryAtNanos} before requesting the start offset again. */
    private boolean retries;

    private long retryAtNanos;

    long highWatermark = UNKNOWN;
    long lastStableOffset = UNKNOWN;

    /** Exception to throw after all earlier records have been delivered; null if there is none. */
    @Nullable
    PartitionException fault;

    /** Offset after the faulty batch; -1 if there is none or its end is unknown. */
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

    /** Returns whether the next request must list the partition: it is new, or its offset or an epoch has changed. */
    boolean isNewToSession() {
        return !inSession
                || sentOffset != fetchOffset
                || sentLeaderEpoch != leader.epoch()
                || sentLastEpoch != lastEpoch;
    }

    /** Returns whether a fetch response is for the current fetch offset, which may have changed. */
    boolean isAnswered() {
        return state == FETCHING && inSession && sentOffset == fetchOffset;
    }

    /**
     * Returns whether to request the end of the log before the offset for the start timestamp. The end comes first, so
     * that records appended in between are not missed.
     */
    boolean wantsEndFirst() {
        return start != null && start.timestampMillis() >= 0 && endBefore < 0;
    }

    /** Ignores an outstanding response for the start offset; the offset is requested again. */
    void forgetQuestion() {
        askedAtMove = UNKNOWN;
        endBefore = UNKNOWN;
    }

    /** Marks the request for the start offset as answered. Returns whether the response is for the current position. */
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

    /** Leaves an epoch that the leader does not know out of fetch requests. */
    void doubtEpoch() {
        doubtedEpoch = lastEpoch;
        lastEpoch = UNKNOWN;
    }

    /** Puts {@link #doubtedEpoch} into fetch requests again: a new leader may know the epoch. */
    void believeEpoch() {
        if (doubtedEpoch >= 0) {
            lastEpoch = doubtedEpoch;
            doubtedEpoch = UNKNOWN;
        }
    }

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

    /** Moves to a position, and discards fetched records. An unknown offset is looked up at the leader. */
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
