package dev.weir.kafka.internal.buffer;

import dev.weir.kafka.internal.fetch.LeaderEpochs;
import dev.weir.kafka.internal.offsets.FinishedSet;
import dev.weir.kafka.internal.offsets.OffsetTracker;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** One partition for the time of one assignment. Confined to the owner thread. */
public final class AssignedPartition {

    /** {@link #committedOffset} before anything was committed. */
    public static final long UNKNOWN = -1;

    public final TopicPartition id;
    public final OffsetTracker tracker;

    /** The leader epochs of what was read of it. */
    public final LeaderEpochs epochs = new LeaderEpochs();

    /** What the pipeline has not pulled yet; the buffer's own. */
    final RecordBuffer.Queue buffered;

    /** Where its records go out; set before the first one does. */
    @SuppressWarnings("NullAway.Init") // opened with the partition in hand
    public RecordBuffer outlet;

    /** How many shares of the budget it has. */
    final int shares;

    /** Records from this offset on are not emitted: the end of a bounded read, or {@link #UNKNOWN} as long as no broker tells. */
    public long endOffset;

    /** Whether the client was told to pause, because the pipeline is behind or the end is reached. */
    public boolean paused;

    /** Whether nothing more of it is wanted: a bounded read is through or does not know its end, or the consumer was stopped. */
    public boolean atEnd;

    /** The number of the assignment with which it came. */
    public int epoch;

    /** The offset that the observer found to be the first unfinished, or -1, and since when. */
    public long firstUnfinished = -1;

    public long firstUnfinishedNanos;

    /** Whether no pipeline reads it at the moment. */
    public boolean parked;

    /** Whether it is not yet known where to go on: nothing is fetched and nothing committed. */
    public boolean held;

    /** Whether it was decided here, and not by the group's committed offset, where it begins. */
    public boolean placed;

    /** Where it was placed, as long as commits go ahead and none has said so, or {@link #UNKNOWN}. */
    public long uncommittedPlace = UNKNOWN;

    /** The topic that its place is in; null if that is not known yet. */
    @Nullable
    public Uuid topicId;

    /** Whether it waits to go on where the group has committed. */
    public boolean opening;

    /** Whether, its end reached, its topic is or was asked for once more. */
    public boolean endDoubted;

    /** Whether the topic still was the same one then. */
    public boolean endIsSure;

    public long committedOffset = UNKNOWN;

    /** When that was confirmed, by the owner's clock. */
    public long committedNanos;

    /** The finished set in the metadata of that commit, as it was written. */
    public String committedSet = "";

    /** What an earlier assignment had finished past its commit: not emitted again. */
    public FinishedSet finishedEarlier = FinishedSet.EMPTY;

    /** The first record that was fetched and not emitted, or forgotten again: the client's position is past it. */
    public long firstDropped = Long.MAX_VALUE;

    /** Records finished since the last commit, as of the last {@link #advance}. */
    public int finishedSinceCommit;

    /** Creates one among equals. */
    public AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset) {
        this(id, tracker, endOffset, 0, 1);
    }

    public AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset, int priority, int shares) {
        this.id = id;
        this.tracker = tracker;
        this.endOffset = endOffset;
        this.atEnd = endOffset == UNKNOWN;
        this.buffered = new RecordBuffer.Queue(priority);
        this.shares = shares;
        tracker.name(id);
    }

    /** See {@link OffsetTracker#advance}. */
    public void advance() {
        finishedSinceCommit += tracker.advance();
    }

    /** Notes that a record was fetched in vain, so that nothing past it is committed in this assignment. */
    public void dropped(long offset) {
        firstDropped = Math.min(firstDropped, offset);
    }

    /** Whether the pipeline holds something of it. If so, the owner is woken when that may have changed. */
    public boolean isHeld() {
        advance();
        return tracker.watchUnsettled();
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
