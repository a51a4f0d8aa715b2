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
 * A partition from its assignment to its revocation. A seek, or a recreated topic, replaces the object. Confined to the
 * owner thread, except for {@link #id}, {@link #outlet} and {@link #tracker}.
 */
public final class AssignedPartition {

    /** The value of an offset that is not known yet. */
    public static final long UNKNOWN = -1;

    /** Reasons why a partition is not fetched. */
    public enum PauseReason {
        /** The client pauses the partition. Every pause adds this reason, and only flow control removes it. */
        FLOW,

        /** No pipeline reads the partition now. */
        UNREAD,

        /**
         * No more records are wanted: a bounded read has reached its end or does not know it yet, or the consumer was
         * stopped.
         */
        END
    }

    /**
     * Describes how the next position was determined.
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
        NEW,

        /** The position is unknown. Nothing is fetched or committed. */
        HELD,

        /** Waits until the brokers confirm the committed position. Nothing is fetched or committed. */
        OPENING,

        COMMITTED,

        /** Continues at a position chosen by this consumer, not at the group's committed offset. */
        PLACED
    }

    private final TopicPartition id;
    private final OffsetTracker tracker;
    private final LeaderEpochs epochs = new LeaderEpochs();
    private final RecordWeights weights = new RecordWeights();

    /** The partition's queue in the buffer, used only by the buffer. */
    private final PartitionQueue buffered;

    /** Emitted but unfinished elements that hold several records each. Empty if every element is a single record. */
    private final ArrayDeque<KeptViews> rows = new ArrayDeque<>(1);

    private final int weight;
    private final int epoch;

    @SuppressWarnings("NullAway.Init") // RecordOutlets.open sets it before the partition is used
    private RecordBuffer outlet;

    private final Set<PauseReason> pauseReasons = EnumSet.noneOf(PauseReason.class);
    private boolean fullOfBytes;

    /** Time, on the consumer's clock, up to which the pause by flow control is counted, or {@link #UNKNOWN}. */
    private long stillSinceNanos = UNKNOWN;

    private long fullOfRecordsNanos;
    private long fullOfBytesNanos;
    private Placement placement = Placement.NEW;
    private long endOffset;
    private @Nullable Uuid topicId;

    /** The topic id to write into commits; null if unknown or not supported by the brokers. */
    private @Nullable String topicIdText;

    private long committedOffset = UNKNOWN;
    private long committedNanos;
    private String committedMetadata = "";
    private long uncommittedPlace = UNKNOWN;
    private FinishedSet finishedEarlier = FinishedSet.EMPTY;
    private long firstDropped = Long.MAX_VALUE;
    private int finishedSinceCommit;

    // The offset, metadata version and topic id of the last commit that was left out because it would have changed
    // nothing.
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

    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset, int priority, int weight) {
        this(id, tracker, endOffset, priority, weight, 0);
    }

    /**
     * Creates a partition without a position.
     *
     * @param endOffset the exclusive end of a bounded read; {@link #UNKNOWN} if no broker has reported it
     * @param weight the partition's weight when the memory budget is divided
     * @param epoch the number of the assignment that added the partition
     */
    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset, int priority, int weight, int epoch) {
        this.id = id;
        this.tracker = tracker;
        this.endOffset = endOffset;
        this.buffered = new PartitionQueue(priority);
        this.weight = weight;
        this.epoch = epoch;
        if (endOffset == UNKNOWN) {
            pauseReasons.add(PauseReason.END);
        }
        tracker.name(id);
    }

    /**
     * Returns a new object for the same partition, with its pauses but without its position and records.
     *
     * @param ending whether no more records will be emitted in this assignment
     */
    AssignedPartition renewed(OffsetTracker newTracker, boolean ending) {
        AssignedPartition renewed = new AssignedPartition(id, newTracker, endOffset, buffered.priority, weight, epoch);
        renewed.outlet = outlet;
        renewed.topicId = topicId;
        renewed.topicIdText = topicIdText;
        renewed.fullOfBytes = fullOfBytes;
        renewed.stillSinceNanos = stillSinceNanos;
        renewed.fullOfBytesNanos = fullOfBytesNanos;
        renewed.fullOfRecordsNanos = fullOfRecordsNanos;
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

    int weight() {
        return weight;
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

    /** Sets the buffer that emits the partition's records. */
    public void goOutBy(RecordBuffer buffer) {
        outlet = buffer;
    }

    // ---- Pauses ----------------------------------------------------------------------------------------------------

    /** Returns whether the client pauses the partition. */
    public boolean isPaused() {
        return pauseReasons.contains(PauseReason.FLOW);
    }

    public boolean isPausedFor(PauseReason reason) {
        return pauseReasons.contains(reason);
    }

    boolean isToBePaused() {
        return !pauseReasons.isEmpty() && !isPaused();
    }

    /** Adds a reason to pause. Returns true if the client must now pause the partition. */
    public boolean pause(PauseReason reason) {
        boolean isNews = pauseReasons.add(PauseReason.FLOW);
        pauseReasons.add(reason);
        return isNews;
    }

    /** Pauses the partition because of its outstanding bytes. Returns true if the client must now pause it. */
    boolean pauseForBytes() {
        boolean isNews = pause(PauseReason.FLOW);
        fullOfBytes |= isNews;
        return isNews;
    }

    boolean isFullOfBytes() {
        return fullOfBytes;
    }

    void standsStillFrom(long nanos) {
        stillSinceNanos = nanos;
    }

    /**
     * Returns the total time for which flow control was the only reason for a pause. The total never decreases. Each
     * call adds the time since the previous call, because adding or removing a reason does not record the time.
     *
     * @param ofBytes true for pauses caused by bytes, false for pauses caused by the number of records
     */
    public long stoodStillNanos(boolean ofBytes, long nowNanos) {
        countPause(nowNanos);
        return ofBytes ? fullOfBytesNanos : fullOfRecordsNanos;
    }

    private void countPause(long nowNanos) {
        if (stillSinceNanos == UNKNOWN) {
            return;
        }
        long nanos = pauseReasons.size() == 1 ? Math.max(0, nowNanos - stillSinceNanos) : 0;
        if (fullOfBytes) {
            fullOfBytesNanos += nanos;
        } else {
            fullOfRecordsNanos += nanos;
        }
        stillSinceNanos = nowNanos;
    }

    void beginUnread() {
        pauseReasons.add(PauseReason.UNREAD);
    }

    /** Marks the partition as read by a pipeline again. */
    public void endUnread() {
        pauseReasons.remove(PauseReason.UNREAD);
    }

    /**
     * Returns whether flow control may resume the partition: it has no other reason to be paused, and its position is
     * known.
     */
    boolean mayResume() {
        return isPaused() && pauseReasons.size() == 1 && !isHeld();
    }

    /** Resumes the partition. Call only if {@link #mayResume} returns true. */
    public void resume(long nowNanos) {
        countPause(nowNanos);
        stillSinceNanos = UNKNOWN;
        fullOfBytes = false;
        pauseReasons.clear();
    }

    // ---- The position ----------------------------------------------------------------------------------------------

    /** Returns whether the position is unknown or unconfirmed. Nothing is fetched or committed while it is. */
    public boolean isHeld() {
        return placement == Placement.HELD || placement == Placement.OPENING;
    }

    /** Returns whether the partition will continue at the group's committed offset once the brokers confirm it. */
    public boolean isOpening() {
        return placement == Placement.OPENING;
    }

    /** Returns whether the partition continues at a position chosen by this consumer. */
    public boolean isPlaced() {
        return placement == Placement.PLACED;
    }

    /** Discards the position and the offsets finished in an earlier assignment. */
    void hold() {
        if (!isHeld()) {
            placement = Placement.HELD;
        }
        finishedEarlier = FinishedSet.EMPTY;
    }

    /**
     * Prepares to continue at the group's committed offset.
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

    void place() {
        placement = Placement.PLACED;
    }

    /** Returns the topic id of the position; null if unknown. */
    public @Nullable Uuid topicId() {
        return topicId;
    }

    /** Returns the topic id to write into commits; null if unknown or not supported by the brokers. */
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

    /** Sets the end offset, and allows flow control to resume the partition. */
    public void learnEnd(long offset) {
        endOffset = offset;
        pauseReasons.remove(PauseReason.END);
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    public long committedOffset() {
        return committedOffset;
    }

    /** Returns the time when the last commit was confirmed, on the consumer's clock. */
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
     * Registers a confirmed commit of records that are not emitted yet. The commit also covers a start position that
     * was waiting to be committed.
     */
    public void committedAhead(long offset, long nanos) {
        committedOffset = offset;
        committedNanos = nanos;
        uncommittedPlace = UNKNOWN;
    }

    /** Returns the start position that is not committed yet, or {@link #UNKNOWN}. */
    public long uncommittedPlace() {
        return uncommittedPlace;
    }

    public void placeIsUncommitted(long offset) {
        uncommittedPlace = offset;
    }

    /** Returns the offsets finished during an earlier assignment. Their records are not emitted again. */
    public FinishedSet finishedEarlier() {
        return finishedEarlier;
    }

    public void skip(FinishedSet finished) {
        finishedEarlier = finished;
    }

    /**
     * Copies the finished and committed offsets of {@code before}, an earlier object for this partition. Reading
     * continues at {@code offset}.
     */
    public void continueAfter(AssignedPartition before, long offset) {
        finishedEarlier = before.tracker.finishedPast(offset, before.finishedEarlier);
        committedOffset = before.committedOffset;
        committedMetadata = before.committedMetadata;
        committedNanos = before.committedNanos;
    }

    /** Advances past finished records; see {@link OffsetTracker#advance}. Recycles finished elements. */
    public void advance() {
        finishedSinceCommit += tracker.advance();
        while (!rows.isEmpty() && rows.element().token() < tracker.firstUnfinished()) {
            rows.remove().recycle();
        }
    }

    /** Registers an element that holds several records and was emitted with the given token. */
    void goesOut(KeptViews row, long token) {
        row.goesOutAs(token);
        rows.add(row);
    }

    /** Returns the number of records finished since the last commit. */
    public int finishedSinceCommit() {
        return finishedSinceCommit;
    }

    /** Resets {@link #finishedSinceCommit}, because a commit begins. */
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

    /** Returns the offset of the first record that was fetched but dropped; {@link Long#MAX_VALUE} if none was. */
    public long firstDropped() {
        return firstDropped;
    }

    /** Reports a fetched record that will not be emitted. No later offset is committed during this assignment. */
    public void dropped(long offset) {
        firstDropped = Math.min(firstDropped, offset);
    }

    // ---- Unfinished work -------------------------------------------------------------------------------------------

    /**
     * Returns whether the pipeline still works on records of this partition. If so, the owner thread is woken later to
     * check again.
     */
    public boolean hasUnsettled() {
        advance();
        return !leftByPipeline && tracker.watchUnsettled();
    }

    /** Reports that the pipeline has ended and no longer works on its unfinished records. */
    public void pipelineLeft() {
        leftByPipeline = true;
    }

    /** Sets the partition's first unfinished offset. Returns the time when it was first set to this offset. */
    public long unfinishedSince(long offset, long now) {
        if (offset != firstUnfinished) {
            firstUnfinished = offset;
            firstUnfinishedNanos = now;
        }
        return firstUnfinishedNanos;
    }

    /** Reports that all records are finished. Returns whether the previous check found an unfinished record. */
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
