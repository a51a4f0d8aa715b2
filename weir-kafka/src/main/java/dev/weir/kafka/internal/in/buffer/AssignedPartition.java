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
 * A partition from its assignment until its revocation. A seek or the recreation of its topic replaces the object with
 * a new one. Confined to the owner thread, except for {@link #id}, {@link #outlet} and {@link #tracker}.
 */
public final class AssignedPartition {

    /**
     * The value of {@link #committedOffset} before the first commit, and the value of {@link #endOffset} until a broker
     * has reported it.
     */
    public static final long UNKNOWN = -1;

    /** Reasons why a partition is not fetched. */
    public enum PauseReason {
        /**
         * The client pauses the partition, for flow control or for one of the other reasons. Every pause adds this
         * reason, and only flow control removes it.
         */
        FLOW,

        /** No pipeline reads the partition at present. */
        UNREAD,

        /**
         * No more records are wanted. A bounded read has reached its end, or does not know its end yet, or the consumer
         * was stopped.
         */
        END
    }

    /**
     * Describes how the position at which reading continues was determined, if it is known.
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

        /** The position is unknown: nothing is fetched or committed. */
        HELD,

        /**
         * Nothing is fetched or committed until the brokers confirm that the committed position is still valid and
         * belongs to the same topic.
         */
        OPENING,

        COMMITTED,

        /** Continues at a position chosen by this consumer instead of the group's committed offset. */
        PLACED
    }

    private final TopicPartition id;
    private final OffsetTracker tracker;
    private final LeaderEpochs epochs = new LeaderEpochs();
    private final RecordWeights weights = new RecordWeights();

    /** The partition's queue in the buffer. Only the buffer accesses it. */
    private final PartitionQueue buffered;

    /**
     * Elements that each hold several consecutive records, emitted but unfinished at the last {@link #advance}. Empty
     * if every element is a single record.
     */
    private final ArrayDeque<KeptViews> rows = new ArrayDeque<>(1);

    private final int shares;
    private final int epoch;

    @SuppressWarnings("NullAway.Init") // RecordOutlets.open sets it before the partition is used
    private RecordBuffer outlet;

    private final Set<PauseReason> pauseReasons = EnumSet.noneOf(PauseReason.class);
    private boolean fullOfBytes;

    /** Time when flow control paused the partition, on the consumer's clock; {@link #UNKNOWN} if it has not. */
    private long stillSinceNanos = UNKNOWN;

    private long fullOfRecordsNanos;
    private long fullOfBytesNanos;
    private Placement placement = Placement.NEW;
    private long endOffset;
    private @Nullable Uuid topicId;

    /** The topic id written into commits; null if it is unknown or the brokers have no topic ids. */
    private @Nullable String topicIdText;

    private long committedOffset = UNKNOWN;
    private long committedNanos;
    private String committedMetadata = "";
    private long uncommittedPlace = UNKNOWN;
    private FinishedSet finishedEarlier = FinishedSet.EMPTY;
    private long firstDropped = Long.MAX_VALUE;
    private int finishedSinceCommit;

    // The last commit that was omitted because it would have changed nothing: its offset, metadata version, topic id.
    private long settledOffset = UNKNOWN;
    private int settledTexts;
    private @Nullable String settledTopicId;

    private long firstUnfinished = UNKNOWN;
    private long firstUnfinishedNanos;
    private boolean leftByPipeline;

    /** Creates a partition with default priority, for tests. */
    public AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset) {
        this(id, tracker, endOffset, 0, 1);
    }

    /** Creates a partition that was added by the assignment with the number 0. */
    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset, int priority, int shares) {
        this(id, tracker, endOffset, priority, shares, 0);
    }

    /**
     * Creates a partition without a position.
     *
     * @param endOffset the exclusive end of a bounded read; {@link #UNKNOWN} if no broker has reported it
     * @param shares the partition's number of shares in the memory budget
     * @param epoch the number of the assignment that added the partition
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
     * Returns a new object for the same partition, without a position or records. It is paused if this object is
     * paused.
     *
     * @param ending whether no more records will be emitted in this assignment
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

    public LeaderEpochs epochs() {
        return epochs;
    }

    RecordWeights weights() {
        return weights;
    }

    PartitionQueue buffered() {
        return buffered;
    }

    int shares() {
        return shares;
    }

    /** Returns the number of the assignment that added the partition. */
    public int epoch() {
        return epoch;
    }

    // ---- The way out -----------------------------------------------------------------------------------------------

    /** Returns the buffer that emits the partition's records. */
    public RecordBuffer outlet() {
        return outlet;
    }

    /**
     * Sets the buffer that emits the partition's records. Called before the first record is emitted, and when another
     * pipeline starts to read the partition.
     */
    public void goOutBy(RecordBuffer buffer) {
        outlet = buffer;
    }

    // ---- Pauses ----------------------------------------------------------------------------------------------------

    /** Returns whether the client was instructed to pause the partition. */
    public boolean isPaused() {
        return pauseReasons.contains(PauseReason.FLOW);
    }

    public boolean isPausedFor(PauseReason reason) {
        return pauseReasons.contains(reason);
    }

    /** Returns whether the client must still be instructed to pause the partition. */
    boolean isToBePaused() {
        return !pauseReasons.isEmpty() && !isPaused();
    }

    /** Adds a reason to pause. Returns true if the client must now be instructed to pause. */
    public boolean pause(PauseReason reason) {
        boolean isNews = pauseReasons.add(PauseReason.FLOW);
        pauseReasons.add(reason);
        return isNews;
    }

    /**
     * Pauses the partition for flow control because of its outstanding bytes. Returns true if the client must now be
     * instructed to pause.
     */
    boolean pauseForBytes() {
        boolean isNews = pause(PauseReason.FLOW);
        fullOfBytes |= isNews;
        return isNews;
    }

    /** Returns whether flow control paused the partition because of bytes rather than records. */
    boolean isFullOfBytes() {
        return fullOfBytes;
    }

    /** Sets the time when flow control paused the partition, on the consumer's clock. */
    void standsStillFrom(long nanos) {
        stillSinceNanos = nanos;
    }

    /**
     * Returns the total time for which flow control was the only reason for a pause.
     *
     * @param ofBytes true for pauses caused by bytes, false for pauses caused by the number of records
     */
    public long stoodStillNanos(boolean ofBytes, long nowNanos) {
        boolean isStill = stillSinceNanos != UNKNOWN && fullOfBytes == ofBytes && pauseReasons.size() == 1;
        return (ofBytes ? fullOfBytesNanos : fullOfRecordsNanos) + (isStill ? nowNanos - stillSinceNanos : 0);
    }

    /** Marks the partition as not read by any pipeline. The client is instructed to pause it later. */
    void beginUnread() {
        pauseReasons.add(PauseReason.UNREAD);
    }

    /** Marks the partition as read by a pipeline again, so that flow control may resume it. */
    public void endUnread() {
        pauseReasons.remove(PauseReason.UNREAD);
    }

    /**
     * Returns whether flow control may resume the partition. Returns false if the partition has another reason to be
     * paused, or if its position is unknown.
     */
    boolean mayResume() {
        return isPaused() && pauseReasons.size() == 1 && !isHeld();
    }

    /** Resumes the partition. Call only if {@link #mayResume} returns true. */
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

    /**
     * Returns whether the position is unknown or unconfirmed. Until it is confirmed, nothing is fetched or committed.
     */
    public boolean isHeld() {
        return placement == Placement.HELD || placement == Placement.OPENING;
    }

    /** Returns whether the partition will continue at the group's committed offset once that offset is confirmed. */
    public boolean isOpening() {
        return placement == Placement.OPENING;
    }

    /** Returns whether the partition continues at a position chosen by this consumer. */
    public boolean isPlaced() {
        return placement == Placement.PLACED;
    }

    /** Discards the position and the offsets that an earlier assignment finished. */
    void hold() {
        if (!isHeld()) {
            placement = Placement.HELD;
        }
        finishedEarlier = FinishedSet.EMPTY;
    }

    /**
     * Prepares to continue at the group's committed offset, once the brokers have confirmed it.
     *
     * @param topic the topic id in the metadata of the committed offset; null if there is none
     */
    public void open(@Nullable Uuid topic) {
        placement = Placement.OPENING;
        isOf(topic);
    }

    void goOnAtCommit() {
        placement = Placement.COMMITTED;
    }

    /** Continues at a position chosen by this consumer. */
    void place() {
        placement = Placement.PLACED;
    }

    /** Returns the topic id that the position belongs to; null if it is unknown. */
    public @Nullable Uuid topicId() {
        return topicId;
    }

    /** Returns the topic id for commits; null if it is unknown or the brokers have no topic ids. */
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

    /** Returns the exclusive end of the offsets to emit; {@link #UNKNOWN} until a broker has reported it. */
    public long endOffset() {
        return endOffset;
    }

    /** Sets the end offset once it is known. Flow control may then resume the partition. */
    public void learnEnd(long offset) {
        endOffset = offset;
        pauseReasons.remove(PauseReason.END);
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    public long committedOffset() {
        return committedOffset;
    }

    /** Returns the time when the commit of {@link #committedOffset} was confirmed, on the consumer's clock. */
    public long committedNanos() {
        return committedNanos;
    }

    /** Returns the metadata of the last confirmed commit. */
    public String committedMetadata() {
        return committedMetadata;
    }

    /** Registers a confirmed commit. */
    public void committed(long offset, String metadata, long nanos) {
        committedOffset = offset;
        committedMetadata = metadata;
        committedNanos = nanos;
    }

    /**
     * Registers a confirmed commit of records that have not been emitted yet. If a start position was waiting to be
     * committed, this commit makes it unnecessary.
     */
    public void committedAhead(long offset, long nanos) {
        committedOffset = offset;
        committedNanos = nanos;
        uncommittedPlace = UNKNOWN;
    }

    /** Returns the start position that has not been committed yet; {@link #UNKNOWN} if there is none. */
    public long uncommittedPlace() {
        return uncommittedPlace;
    }

    public void placeIsUncommitted(long offset) {
        uncommittedPlace = offset;
    }

    /**
     * Returns the offsets after the committed offset that were finished during an earlier assignment. The records at
     * these offsets are not emitted again.
     */
    public FinishedSet finishedEarlier() {
        return finishedEarlier;
    }

    public void skip(FinishedSet finished) {
        finishedEarlier = finished;
    }

    /**
     * Copies the finished and committed offsets from {@code before}, an earlier object for the same partition. Reading
     * continues at {@code offset}.
     */
    public void continueAfter(AssignedPartition before, long offset) {
        finishedEarlier = before.tracker.finishedPast(offset, before.finishedEarlier);
        committedOffset = before.committedOffset;
        committedMetadata = before.committedMetadata;
        committedNanos = before.committedNanos;
    }

    /** Advances past finished records; see {@link OffsetTracker#advance}. */
    public void advance() {
        finishedSinceCommit += tracker.advance();
        while (!rows.isEmpty() && rows.element().token() < tracker.firstUnfinished()) {
            rows.remove().recycle();
        }
    }

    /** Registers an element with several records, emitted with the given token. It is reused once it is finished. */
    void goesOut(KeptViews row, long token) {
        row.goesOutAs(token);
        rows.add(row);
    }

    /** Returns the number of records finished since the last commit, as of the last {@link #advance}. */
    public int finishedSinceCommit() {
        return finishedSinceCommit;
    }

    /** Resets {@link #finishedSinceCommit}, because a commit of the finished offsets begins. */
    public void beginCommit() {
        finishedSinceCommit = 0;
    }

    /**
     * Registers that a commit of {@code offset} would change nothing.
     *
     * @param texts the version of the commit metadata
     */
    public void settledAt(long offset, int texts) {
        settledOffset = offset;
        settledTexts = texts;
        settledTopicId = topicIdText;
    }

    /** Returns whether {@link #settledAt} was called for the same offset, metadata version and topic id. */
    public boolean isSettledAt(long offset, int texts) {
        return offset == settledOffset && texts == settledTexts && Objects.equals(settledTopicId, topicIdText);
    }

    /**
     * Returns the offset of the first record that was fetched but dropped instead of emitted; {@link Long#MAX_VALUE} if
     * none was dropped. The client's position is already past such a record.
     */
    public long firstDropped() {
        return firstDropped;
    }

    /** Reports that a fetched record was dropped. No later offset is committed during this assignment. */
    public void dropped(long offset) {
        firstDropped = Math.min(firstDropped, offset);
    }

    // ---- Unfinished work -------------------------------------------------------------------------------------------

    /**
     * Returns whether the pipeline is still working on any of the partition's records. If so, the owner thread is woken
     * when this work may have ended.
     */
    public boolean hasUnsettled() {
        advance();
        return !leftByPipeline && tracker.watchUnsettled();
    }

    /**
     * Registers that the pipeline has ended. It no longer works on the records that it left unfinished, although some
     * of them may still have pending acknowledgements.
     */
    public void pipelineLeft() {
        leftByPipeline = true;
    }

    /**
     * Sets the partition's first unfinished offset and returns the time when it was first set to this value.
     *
     * @param now the current time
     */
    public long unfinishedSince(long offset, long now) {
        if (offset != firstUnfinished) {
            firstUnfinished = offset;
            firstUnfinishedNanos = now;
        }
        return firstUnfinishedNanos;
    }

    /** Registers that all records are finished. Returns whether the previous check found an unfinished record. */
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
