package dev.weir.lean.internal.consumer;

import dev.weir.lean.PartitionException;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.internal.cursor.PartitionCursor;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * An assigned partition: its fetch state is here, its delivery state in its cursor. Confined to one thread.
 *
 * <p>Its state is one of {@link #LOCATING}, {@link #RESOLVING}, {@link #FETCHING} and {@link #FAILED}; ADR 26 draws
 * them.
 */
final class FetchedPartition {

    /** Its leader is unknown: waits for metadata. */
    static final int LOCATING = 0;

    /** Its start is not resolved to an offset yet: its leader is asked. */
    static final int RESOLVING = 1;

    /** State: part of its broker's fetches, unless it is paused. */
    static final int FETCHING = 2;

    /** A fault was found, and thrown or still to be thrown: waits for a seek. */
    static final int FAILED = 3;

    private static final int UNKNOWN = -1;

    final FetchedTopic topic;
    final int number;
    final PartitionCursor cursor;

    int state = LOCATING;
    boolean paused;

    /** True if it is queued for delivery. */
    boolean queued;

    /** The start position, until it is resolved. */
    @Nullable
    StartAt start;

    /** The end of the log before the offset of a start time was requested from its leader; -1 until known. */
    long endBefore = UNKNOWN;

    /** The topic id that its position belongs to, until metadata show whether that is the current one. */
    @Nullable
    Uuid placedIn;

    long fetchOffset = UNKNOWN;

    /** The epoch of the batch before the fetch offset; -1 if unknown. */
    int lastEpoch = UNKNOWN;

    /** The epoch before the fetch offset that its leader does not know, until the next batch explains that; else -1. */
    int doubtedEpoch = UNKNOWN;

    final PartitionLeader leader = new PartitionLeader();

    /** The broker to fetch from: the leader, or a nearer replica. */
    @Nullable
    FetchBroker broker;

    /** The time until which a nearer replica is used. */
    long followUntilNanos;

    /** True if that replica has answered. */
    boolean servedNearby;

    // The broker's fetch session state for it.
    boolean inSession;
    long sentOffset;
    int sentLeaderEpoch;
    int sentLastEpoch;

    /** The cursor's move count when its start was requested: an answer from before a seek is ignored. */
    int askedAtMove = UNKNOWN;

    long retryAtNanos;

    long highWatermark = UNKNOWN;
    long lastStableOffset = UNKNOWN;

    /** Thrown after all earlier records are delivered. */
    @Nullable
    PartitionException fault;

    /** The offset after the batch at fault. */
    long offsetBehindFault = UNKNOWN;

    /** The bytes of the batch at fault, if known; not used elsewhere. */
    byte @Nullable [] bytesAtFault;

    FetchedPartition(FetchedTopic topic, int number, PartitionCursor cursor) {
        this.topic = topic;
        this.number = number;
        this.cursor = cursor;
    }

    boolean wantsFetch() {
        return state == FETCHING && !paused;
    }

    /** Returns whether the session has another offset or other epochs for it. */
    boolean isNewToSession() {
        return !inSession
                || sentOffset != fetchOffset
                || sentLeaderEpoch != leader.epoch()
                || sentLastEpoch != lastEpoch;
    }

    /** Returns whether a response is for its current position, not for one before a seek. */
    boolean isAnswered() {
        return state == FETCHING && inSession && sentOffset == fetchOffset;
    }

    /**
     * Returns whether the end of the log is requested from its leader before a time is resolved. If no record is that
     * late, it continues from that end, so records appended between the two requests are read.
     */
    boolean wantsEndFirst() {
        return start != null && start.timestampMillis() >= 0 && endBefore < 0;
    }

    /** Outstanding answers no longer apply to it: it is requested again. */
    void forgetQuestion() {
        askedAtMove = UNKNOWN;
        endBefore = UNKNOWN;
    }

    /** Returns whether an answer is for its current start, and marks it as received. */
    boolean takesAnswer() {
        boolean current = state == RESOLVING && askedAtMove == cursor.moves();
        askedAtMove = UNKNOWN;
        return current;
    }

    boolean isFollowing() {
        return broker != null && broker.id != leader.node();
    }

    /** Its leader does not know the epoch, so it is requested without one. */
    void doubtEpoch() {
        doubtedEpoch = lastEpoch;
        lastEpoch = UNKNOWN;
    }

    /** Another leader may know the epoch. */
    void believeEpoch() {
        if (doubtedEpoch >= 0) {
            lastEpoch = doubtedEpoch;
            doubtedEpoch = UNKNOWN;
        }
    }

    /** Moves to an offset and drops fetched records. */
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

    /** Moves to the beginning, the end or a time, once its leader has resolved it. */
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
