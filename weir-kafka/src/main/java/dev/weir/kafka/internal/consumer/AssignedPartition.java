package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.internal.offsets.FinishedSet;
import dev.weir.kafka.internal.offsets.OffsetTracker;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** One partition for the time of one assignment. Confined to the owner thread. */
final class AssignedPartition {

    /** {@link #committedOffset} before anything was committed. */
    static final long UNKNOWN = -1;

    final TopicPartition id;
    final OffsetTracker tracker;

    /** The leader epochs of what was read of it. */
    final LeaderEpochs epochs = new LeaderEpochs();

    /** Weighs its records against the budget. */
    final RecordWeights weights = new RecordWeights();

    /** What the pipeline has not pulled yet; the buffer's own. */
    final RecordBuffer.Queue buffered;

    /** Where its records go out; set before the first one does. */
    @SuppressWarnings("NullAway.Init") // opened with the partition in hand
    RecordBuffer outlet;

    /** How many shares of the budget it has. */
    final int shares;

    /** Records from this offset on are not emitted: the end of a bounded read, or {@link #UNKNOWN} as long as no broker tells. */
    long endOffset;

    /** Whether the client was told to pause, because the pipeline is behind or the end is reached. */
    boolean paused;

    /** Whether nothing more of it is wanted: a bounded read is through or does not know its end, or the consumer was stopped. */
    boolean atEnd;

    /** The number of the assignment with which it came. */
    int epoch;

    /** The offset that the {@link Observer} found to be the first unfinished, or -1, and since when. */
    long firstUnfinished = -1;

    long firstUnfinishedNanos;

    /** Whether no pipeline reads it at the moment. */
    boolean parked;

    /** Whether it is not yet known where to go on: nothing is fetched and nothing committed. */
    boolean held;

    /** Whether it was decided here, and not by the group's committed offset, where it begins. */
    boolean placed;

    /** Where it was placed, as long as commits go ahead and none has said so, or {@link #UNKNOWN}. */
    long uncommittedPlace = UNKNOWN;

    /** The topic that its place is in; null if that is not known yet. */
    @Nullable
    Uuid topicId;

    /** Whether it waits to go on where the group has committed. */
    boolean opening;

    /** Whether, its end reached, its topic is or was asked for once more. */
    boolean endDoubted;

    /** Whether the topic still was the same one then. */
    boolean endIsSure;

    long committedOffset = UNKNOWN;

    /** When that was confirmed, by the owner's clock. */
    long committedNanos;

    /** The finished set in the metadata of that commit, as it was written. */
    String committedSet = "";

    /** What an earlier assignment had finished past its commit: not emitted again. */
    FinishedSet finishedEarlier = FinishedSet.EMPTY;

    /** The first record that was fetched and not emitted, or forgotten again: the client's position is past it. */
    long firstDropped = Long.MAX_VALUE;

    /** Records finished since the last commit, as of the last {@link #advance}. */
    int finishedSinceCommit;

    /** Creates one among equals. */
    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset) {
        this(id, tracker, endOffset, 0, 1);
    }

    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset, int priority, int shares) {
        this.id = id;
        this.tracker = tracker;
        this.endOffset = endOffset;
        this.atEnd = endOffset == UNKNOWN;
        this.buffered = new RecordBuffer.Queue(priority);
        this.shares = shares;
        tracker.name(id);
    }

    /** See {@link OffsetTracker#advance}. */
    void advance() {
        finishedSinceCommit += tracker.advance();
    }

    /** Notes that a record was fetched in vain, so that nothing past it is committed in this assignment. */
    void dropped(long offset) {
        firstDropped = Math.min(firstDropped, offset);
    }

    /** Whether the pipeline holds something of it. If so, the owner is woken when that may have changed. */
    boolean isHeld() {
        advance();
        return tracker.watchUnsettled();
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
