package dev.weir.lean.internal.consumer;

import dev.weir.lean.PartitionException;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.internal.cursor.PartitionCursor;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * An assigned partition. Contains the partition's fetch state; its cursor contains the delivery state. Confined to one
 * thread.
 *
 * <p>Its state is one of {@link #LOCATING}, {@link #RESOLVING}, {@link #FETCHING} and {@link #FAILED}; ADR 26 has a
 * diagram.
 */
final class FetchedPartition {

    /** State: the leader is unknown, and the partition waits for metadata. */
    static final int LOCATING = 0;

    /** State: the offset of the start position is being requested from the leader. */
    static final int RESOLVING = 1;

    /** State: the partition is part of its broker's fetches, unless it is paused. */
    static final int FETCHING = 2;

    /** State: a fault was found, which may not have been thrown yet, and the partition waits for a seek. */
    static final int FAILED = 3;

    private static final int UNKNOWN = -1;

    final FetchedTopic topic;
    final int number;
    final PartitionCursor cursor;

    int state = LOCATING;
    boolean paused;

    /** True if the partition is queued for delivery. */
    boolean queued;

    /** The start position until its offset is known; null afterwards. */
    @Nullable
    StartAt start;

    /** The end of the log, requested from the leader before the offset of a start time; -1 until known. */
    long endBefore = UNKNOWN;

    /**
     * The id of the topic to which the position belongs; null if unknown, or if metadata have arrived since the
     * position was set.
     */
    @Nullable
    Uuid placedIn;

    long fetchOffset = UNKNOWN;

    /** The epoch of the batch before the fetch offset; -1 if unknown. */
    int lastEpoch = UNKNOWN;

    /**
     * The epoch before the fetch offset, if the leader does not know this epoch and the next batch has not yet shown
     * the reason; otherwise -1.
     */
    int doubtedEpoch = UNKNOWN;

    final PartitionLeader leader = new PartitionLeader();

    /** The broker to fetch from, which is the leader or a nearer replica. */
    @Nullable
    FetchBroker broker;

    /** The time until which the nearer replica is used. */
    long followUntilNanos;

    /** True if the nearer replica has responded. */
    boolean servedNearby;

    // State in the broker's fetch session
    boolean inSession;
    long sentOffset;
    int sentLeaderEpoch;
    int sentLastEpoch;

    /**
     * The cursor's move count at the time of the last request for the start offset. If the count has changed since
     * then, a seek has happened, and the response is ignored.
     */
    int askedAtMove = UNKNOWN;

    long retryAtNanos;

    long highWatermark = UNKNOWN;
    long lastStableOffset = UNKNOWN;

    /** The fault to throw after all earlier records have been delivered; null if there is none. */
    @Nullable
    PartitionException fault;

    /** The offset after the batch at fault; -1 if there is no such batch or its end is unknown. */
    long offsetBehindFault = UNKNOWN;

    /** A private copy of the batch at fault; null if unavailable. */
    byte @Nullable [] bytesAtFault;

    FetchedPartition(FetchedTopic topic, int number, PartitionCursor cursor) {
        this.topic = topic;
        this.number = number;
        this.cursor = cursor;
    }

    boolean wantsFetch() {
        return state == FETCHING && !paused;
    }

    /** Returns whether the offset or the epochs have changed since the session's last request. */
    boolean isNewToSession() {
        return !inSession
                || sentOffset != fetchOffset
                || sentLeaderEpoch != leader.epoch()
                || sentLastEpoch != lastEpoch;
    }

    /**
     * Returns whether a response belongs to the current position. A response to a request from before a seek does not.
     */
    boolean isAnswered() {
        return state == FETCHING && inSession && sentOffset == fetchOffset;
    }

    /**
     * Returns whether the end of the log must be requested from the leader before the offset of a time is requested. If
     * there is no record with that time or a later one, reading starts at this end, so that records appended between
     * the two requests are not missed.
     */
    boolean wantsEndFirst() {
        return start != null && start.timestampMillis() >= 0 && endBefore < 0;
    }

    /** Makes the partition ignore outstanding responses, and request its start offset again. */
    void forgetQuestion() {
        askedAtMove = UNKNOWN;
        endBefore = UNKNOWN;
    }

    /** Returns whether a response is for the current start position, and marks the request as answered. */
    boolean takesAnswer() {
        boolean current = state == RESOLVING && askedAtMove == cursor.moves();
        askedAtMove = UNKNOWN;
        return current;
    }

    boolean isFollowing() {
        return broker != null && broker.id != leader.node();
    }

    /** Omits the epoch from requests, because the leader does not know it. */
    void doubtEpoch() {
        doubtedEpoch = lastEpoch;
        lastEpoch = UNKNOWN;
    }

    /** Uses the doubted epoch again, because another leader may know it. */
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
        fault = null;
        offsetBehindFault = UNKNOWN;
        bytesAtFault = null;
    }

    /**
     * Moves to a position, and discards fetched records. The leader resolves a beginning, an end or a time to an offset
     * later.
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
