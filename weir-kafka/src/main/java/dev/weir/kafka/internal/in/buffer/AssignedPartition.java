package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.LeaderEpochs;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.in.view.KeptViews;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A partition during one assignment. A seek, or a recreated topic, starts it again with a new object. Confined to the
 * owner thread, except for {@link #id}, {@link #outlet} and {@link #tracker}.
 */
public final class AssignedPartition {

    /** {@link #committedOffset} before the first commit, and an end offset that no broker has reported yet. */
    public static final long UNKNOWN = -1;

    /** Reasons why a partition is not fetched. */
    public enum PauseReason {
        /**
         * The client received a pause, and flow control has not resumed the partition. Every other reason adds this one
         * when the client is paused, so only flow control resumes.
         */
        FLOW,

        /** No pipeline reads the partition at the moment. */
        UNREAD,

        /**
         * Nothing more is wanted: a bounded read has reached its end or does not know it yet, or the consumer was
         * stopped.
         */
        END
    }

    /**
     * The state of the position from which reading continues.
     *
     * <pre>
     *   NEW --hold--> HELD --open--> OPENING --goOnAtCommit--> COMMITTED
     *    |             |                |                          |
     *    +---place-----+-----place------+--> PLACED                |
     *                  ^                       |                   |
     *                  +---------hold----------+--------hold-------+
     * </pre>
     */
    private enum Placement {
        /** Just assigned. */
        NEW,

        /** The position is not known: nothing is fetched and nothing committed. */
        HELD,

        /** Held until the brokers confirm that the committed position is still valid and belongs to the same topic. */
        OPENING,

        /** Continues at the group's committed offset. */
        COMMITTED,

        /** Continues at a position decided here, not at the group's committed offset. */
        PLACED
    }

    private final TopicPartition id;
    private final OffsetTracker tracker;
    private final LeaderEpochs epochs = new LeaderEpochs();
    private final RecordWeights weights = new RecordWeights();

    /** The queue of the buffer, which alone accesses it. */
    private final PartitionQueue buffered;

    /** Emitted rows that were unfinished at the last advance; empty if records are emitted singly. */
    private final ArrayDeque<KeptViews> rows = new ArrayDeque<>(1);

    private final int shares;
    private final int epoch;

    @SuppressWarnings("NullAway.Init") // opened while the partition is in use
    private RecordBuffer outlet;

    private final Set<PauseReason> pauseReasons = EnumSet.noneOf(PauseReason.class);
    private boolean fullOfBytes;

    /** The time when flow control paused the partition, by the owner's clock; {@link #UNKNOWN} while it has not. */
    private long stillSinceNanos = UNKNOWN;

    private long fullOfRecordsNanos;
    private long fullOfBytesNanos;
    private Placement placement = Placement.NEW;
    private long endOffset;
    private @Nullable Uuid topicId;

    /** The topic id that commits contain; null if it is not known, or the brokers have no ids. */
    private @Nullable String topicIdText;

    private long committedOffset = UNKNOWN;
    private long committedNanos;
    private String committedSet = "";
    private long uncommittedPlace = UNKNOWN;
    private FinishedSet finishedEarlier = FinishedSet.EMPTY;
    private long firstDropped = Long.MAX_VALUE;
    private int finishedSinceCommit;

    // State of the last commit that would have repeated the one before.
    private long settledOffset = UNKNOWN;
    private int settledTexts;
    private @Nullable String settledTopicId;

    private long firstUnfinished = UNKNOWN;
    private long firstUnfinishedNanos;

    /** Creates a partition with default priority. */
    public AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset) {
        this(id, tracker, endOffset, 0, 1);
    }

    /** Creates a partition of the first assignment. */
    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset, int priority, int shares) {
        this(id, tracker, endOffset, priority, shares, 0);
    }

    /**
     * Creates a partition without a position.
     *
     * @param endOffset records from this offset on are not emitted: the end of a bounded read, or {@link #UNKNOWN}
     * @param shares its number of shares of the budget
     * @param epoch the number of the assignment that added it
     */
    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset, int priority, int shares, int epoch) {
        this.id = id;
        this.tracker = tracker;
        this.endOffset = endOffset;
        this.buffered = new PartitionQueue(priority);
        this.shares = shares;
        this.epoch = epoch;
        if (endOffset == UNKNOWN) {
            pauseReasons.add(PauseReason.END);
        }
        tracker.name(id);
    }

    /**
     * Returns the same partition without a position and unread, and paused if it was.
     *
     * @param ending whether the assignment emits nothing more
     */
    AssignedPartition renewed(OffsetTracker newTracker, boolean ending) {
        AssignedPartition renewed = new AssignedPartition(id, newTracker, endOffset, buffered.priority, shares, epoch);
        renewed.outlet = outlet;
        renewed.topicId = topicId;
        renewed.topicIdText = topicIdText;
        renewed.fullOfBytes = fullOfBytes;
        renewed.pauseReasons.addAll(pauseReasons);
        renewed.pauseReasons.remove(PauseReason.END);
        if (ending || endOffset == UNKNOWN) {
            renewed.pauseReasons.add(PauseReason.END);
        }
        return renewed;
    }

    public TopicPartition id() {
        return id;
    }

    public OffsetTracker tracker() {
        return tracker;
    }

    /** The leader epochs of the records read so far. */
    public LeaderEpochs epochs() {
        return epochs;
    }

    /** Weighs the partition's records against the budget. */
    RecordWeights weights() {
        return weights;
    }

    /** The records that the pipeline has not pulled yet. */
    PartitionQueue buffered() {
        return buffered;
    }

    int shares() {
        return shares;
    }

    /** The number of the assignment that added the partition. */
    public int epoch() {
        return epoch;
    }

    // ---- The way out -----------------------------------------------------------------------------------------------

    /** The buffer that emits the partition's records. */
    public RecordBuffer outlet() {
        return outlet;
    }

    /** Sets the buffer that emits the records. Called before the first record, and when another pipeline takes over. */
    public void goOutBy(RecordBuffer buffer) {
        outlet = buffer;
    }

    // ---- Pauses ----------------------------------------------------------------------------------------------------

    /** Returns whether the client received the pause. */
    public boolean isPaused() {
        return pauseReasons.contains(PauseReason.FLOW);
    }

    public boolean isPausedFor(PauseReason reason) {
        return pauseReasons.contains(reason);
    }

    /** Returns whether there is a pause reason that the client has not received. */
    boolean isToBePaused() {
        return !pauseReasons.isEmpty() && !isPaused();
    }

    /** Adds a pause reason; returns true if the client must be paused. */
    public boolean pause(PauseReason reason) {
        boolean isNews = pauseReasons.add(PauseReason.FLOW);
        pauseReasons.add(reason);
        return isNews;
    }

    /** Pauses as {@link #pause} does for {@link PauseReason#FLOW}, because of bytes rather than records. */
    boolean pauseForBytes() {
        boolean isNews = pause(PauseReason.FLOW);
        fullOfBytes |= isNews;
        return isNews;
    }

    /** Returns whether flow control paused the partition because of bytes rather than records. */
    boolean isFullOfBytes() {
        return fullOfBytes;
    }

    /** Notes the time when flow control paused the partition. */
    void standsStillFrom(long nanos) {
        stillSinceNanos = nanos;
    }

    /** The time for which flow control alone has paused the partition so far, because of bytes or of records. */
    public long stoodStillNanos(boolean ofBytes, long nowNanos) {
        boolean isStill = stillSinceNanos != UNKNOWN && fullOfBytes == ofBytes && pauseReasons.size() == 1;
        return (ofBytes ? fullOfBytesNanos : fullOfRecordsNanos) + (isStill ? nowNanos - stillSinceNanos : 0);
    }

    /** Notes that no pipeline reads the partition, before the client knows of it. */
    void beginUnread() {
        pauseReasons.add(PauseReason.UNREAD);
    }

    /** Reports that a pipeline reads the partition again, so flow control may resume it. */
    public void endUnread() {
        pauseReasons.remove(PauseReason.UNREAD);
    }

    /** Returns whether flow control may resume the partition: no other reason pauses it. */
    boolean mayResume() {
        return isPaused() && pauseReasons.size() == 1 && !isHeld();
    }

    /** Resumes the partition after {@link #mayResume}. */
    void resume(long nowNanos) {
        if (fullOfBytes) {
            fullOfBytesNanos = stoodStillNanos(true, nowNanos);
        } else {
            fullOfRecordsNanos = stoodStillNanos(false, nowNanos);
        }
        stillSinceNanos = UNKNOWN;
        fullOfBytes = false;
        pauseReasons.clear();
    }

    // ---- The position ----------------------------------------------------------------------------------------------

    /** Returns whether the position is not known yet: nothing is fetched and nothing committed. */
    public boolean isHeld() {
        return placement == Placement.HELD || placement == Placement.OPENING;
    }

    /** Returns whether it waits to continue at the group's committed offset. */
    public boolean isOpening() {
        return placement == Placement.OPENING;
    }

    /** Returns whether it continues at a position decided here. */
    public boolean isPlaced() {
        return placement == Placement.PLACED;
    }

    /** Forgets the position and the offsets finished past it. */
    void hold() {
        if (!isHeld()) {
            placement = Placement.HELD;
        }
        finishedEarlier = FinishedSet.EMPTY;
    }

    /** Opens the partition: the group's committed position is in this topic, or names no topic. */
    public void open(@Nullable Uuid topic) {
        placement = Placement.OPENING;
        isOf(topic);
    }

    /** Continues at the group's committed offset. */
    void goOnAtCommit() {
        placement = Placement.COMMITTED;
    }

    /** Continues at a position decided here. */
    void place() {
        placement = Placement.PLACED;
    }

    /** The topic id of its position; null if not known yet. */
    public @Nullable Uuid topicId() {
        return topicId;
    }

    /** The topic id for commits; null if not known, or the brokers have no ids. */
    public @Nullable String topicIdText() {
        return topicIdText;
    }

    public void identified(Uuid topic) {
        isOf(topic);
    }

    private void isOf(@Nullable Uuid topic) {
        topicId = topic;
        topicIdText = topic == null || topic.equals(Uuid.ZERO_UUID) ? null : topic.toString();
    }

    /** The end of a bounded read, exclusive; {@link #UNKNOWN} until a broker reports it. */
    public long endOffset() {
        return endOffset;
    }

    /** Sets the end offset that was not known; flow control may then resume the partition. */
    public void learnEnd(long offset) {
        endOffset = offset;
        pauseReasons.remove(PauseReason.END);
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    public long committedOffset() {
        return committedOffset;
    }

    /** The time when that commit was confirmed, by the owner's clock. */
    public long committedNanos() {
        return committedNanos;
    }

    /** The finished set in the metadata of that commit, as written. */
    public String committedSet() {
        return committedSet;
    }

    /** Notes a confirmed commit. */
    public void committed(long offset, String finishedSet, long nanos) {
        committedOffset = offset;
        committedSet = finishedSet;
        committedNanos = nanos;
    }

    /** Notes a confirmed commit ahead of the records, which also confirms the partition's position. */
    public void committedAhead(long offset, long nanos) {
        committedOffset = offset;
        committedNanos = nanos;
        uncommittedPlace = UNKNOWN;
    }

    /** The position set for it and not yet committed ahead, or {@link #UNKNOWN}. */
    public long uncommittedPlace() {
        return uncommittedPlace;
    }

    public void placeIsUncommitted(long offset) {
        uncommittedPlace = offset;
    }

    /** The offsets that an earlier assignment finished past its commit; they are not emitted again. */
    public FinishedSet finishedEarlier() {
        return finishedEarlier;
    }

    public void skip(FinishedSet finished) {
        finishedEarlier = finished;
    }

    /** Continues, from {@code offset} on, the work of another object for the same partition. */
    public void continueAfter(AssignedPartition before, long offset) {
        finishedEarlier = before.tracker.finishedPast(offset, before.finishedEarlier);
        committedOffset = before.committedOffset;
        committedSet = before.committedSet;
        committedNanos = before.committedNanos;
    }

    /** See {@link OffsetTracker#advance}. */
    public void advance() {
        finishedSinceCommit += tracker.advance();
        while (!rows.isEmpty() && rows.element().token() < tracker.firstUnfinished()) {
            rows.remove().recycle();
        }
    }

    /** Notes a row emitted with that token, to be reused once it is finished. */
    void goesOut(KeptViews row, long token) {
        row.goesOutAs(token);
        rows.add(row);
    }

    /** Records finished since the last commit, as of the last {@link #advance}. */
    public int finishedSinceCommit() {
        return finishedSinceCommit;
    }

    /** Queries the finished offsets for a commit. */
    public void beginCommit() {
        finishedSinceCommit = 0;
    }

    /** Notes that a commit up to that offset with these texts would change nothing. */
    public void settledAt(long offset, int texts) {
        settledOffset = offset;
        settledTexts = texts;
        settledTopicId = topicIdText;
    }

    /** Returns whether that was recorded and nothing has changed since. */
    public boolean isSettledAt(long offset, int texts) {
        return offset == settledOffset && texts == settledTexts && Objects.equals(settledTopicId, topicIdText);
    }

    /**
     * Offset of the first record fetched and then dropped before emission, or {@link #UNKNOWN}: the client's position
     * is past it.
     */
    public long firstDropped() {
        return firstDropped;
    }

    /** Notes that a record was fetched and dropped, so that nothing past it is committed in this assignment. */
    public void dropped(long offset) {
        firstDropped = Math.min(firstDropped, offset);
    }

    // ---- Unfinished work -------------------------------------------------------------------------------------------

    /** Returns whether the pipeline works on its records. If so, the owner is woken when that may have changed. */
    public boolean hasUnsettled() {
        advance();
        return tracker.watchUnsettled();
    }

    /** The time since {@code offset}, seen at {@code now}, became the first unfinished one. */
    public long unfinishedSince(long offset, long now) {
        if (offset != firstUnfinished) {
            firstUnfinished = offset;
            firstUnfinishedNanos = now;
        }
        return firstUnfinishedNanos;
    }

    /** Notes that nothing is unfinished; returns true if something was the last time. */
    public boolean allFinished() {
        boolean wasUnfinished = firstUnfinished >= 0;
        firstUnfinished = UNKNOWN;
        return wasUnfinished;
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
