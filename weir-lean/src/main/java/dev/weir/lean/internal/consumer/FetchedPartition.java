package dev.weir.lean.internal.consumer;

import dev.weir.lean.PartitionException;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.cursor.PartitionCursor;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * An assigned partition: what is delivered of it is its cursor's, what is fetched of it is here. Confined to one
 * thread.
 *
 * <p>Its state is one of {@link #LOCATING}, {@link #RESOLVING}, {@link #FETCHING} and {@link #FAILED}; ADR 26 draws
 * them.
 */
final class FetchedPartition {

    /** Its leader is unknown: waits for metadata. */
    static final int LOCATING = 0;

    /** Its start is no offset yet: its leader is asked. */
    static final int RESOLVING = 1;

    /** State: part of its broker's fetches, unless it is paused. */
    static final int FETCHING = 2;

    /** A fault was found, and was or will be thrown: waits for a seek. */
    static final int FAILED = 3;

    private static final int UNKNOWN = -1;

    final FetchedTopic topic;
    final int number;
    final PartitionCursor cursor;

    int state = LOCATING;
    boolean paused;

    /** True if it waits to be delivered. */
    boolean queued;

    /** The start position, until it is resolved. */
    @Nullable
    StartAt start;

    /** End of the log before its leader was asked for the offset of a starting time; -1 until known. */
    long endBefore = UNKNOWN;

    /** The id of the topic that its place is of, until metadata have told whether that is the present one. */
    @Nullable
    Uuid placedIn;

    long fetchOffset = UNKNOWN;

    /** The epoch of the batch before the fetch offset; -1 if unknown. */
    int lastEpoch = UNKNOWN;

    /** The epoch before the fetch offset that its leader does not know, until the next batch tells why; else -1. */
    int doubtedEpoch = UNKNOWN;

    int leader = UNKNOWN;
    int leaderEpoch = UNKNOWN;

    /** The broker to ask: the leader, or a replica that is nearer. */
    @Nullable
    FetchBroker broker;

    /** Time until which a nearer replica is asked. */
    long followUntilNanos;

    /** True if that replica has answered. */
    boolean servedNearby;

    // What the broker's fetch session has of it.
    boolean inSession;
    long sentOffset;
    int sentLeaderEpoch;
    int sentLastEpoch;

    /** The cursor's moves when its leader was asked for its start: an answer from before a seek is none. */
    int askedAtMove = UNKNOWN;

    long retryAtNanos;

    long highWatermark = UNKNOWN;
    long lastStableOffset = UNKNOWN;

    /** Thrown when everything before it was delivered. */
    @Nullable
    PartitionException fault;

    /** The offset after the batch at fault. */
    long offsetBehindFault = UNKNOWN;

    /** The bytes of the batch at fault, if they are known; the array is nobody else's. */
    byte @Nullable [] bytesAtFault;

    FetchedPartition(FetchedTopic topic, int number, PartitionCursor cursor) {
        this.topic = topic;
        this.number = number;
        this.cursor = cursor;
    }

    boolean wantsFetch() {
        return state == FETCHING && !paused;
    }

    /** Returns whether the session has another offset of it, or other epochs. */
    boolean isNewToSession() {
        return !inSession || sentOffset != fetchOffset || sentLeaderEpoch != leaderEpoch || sentLastEpoch != lastEpoch;
    }

    /** Returns whether a response is to what it wants now, not to what it wanted before a seek. */
    boolean isAnswered() {
        return state == FETCHING && inSession && sentOffset == fetchOffset;
    }

    /**
     * Returns whether its leader is asked where the log ends before it is asked for a time: if no record is that late,
     * it goes on from there, and what is appended between the two questions is read.
     */
    boolean wantsEndFirst() {
        return start != null && start.timestampMillis() >= 0 && endBefore < 0;
    }

    /** No answer to what was asked until now is for it: it is asked anew. */
    void forgetQuestion() {
        askedAtMove = UNKNOWN;
        endBefore = UNKNOWN;
    }

    /** Returns whether an answer is to the start that it wants now; there is none to come after this one. */
    boolean takesAnswer() {
        boolean current = state == RESOLVING && askedAtMove == cursor.moves();
        askedAtMove = UNKNOWN;
        return current;
    }

    boolean isFollowing() {
        return broker != null && broker.id != leader;
    }

    /** Its leader does not know the epoch: it is asked without one. */
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

    /** Moves to an offset: forgets what was fetched. */
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

    /** Moves to the beginning, the end or a time, once its leader has said where that is. */
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
