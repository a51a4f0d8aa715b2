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
 * One partition for the time of one assignment; a seek, or a log that is another one, begins it anew with another
 * object. Confined to the owner thread, but for {@link #id}, {@link #outlet} and {@link #tracker}.
 */
public final class AssignedPartition {

    /** {@link #committedOffset} before anything was committed, and an end that no broker has told yet. */
    public static final long UNKNOWN = -1;

    /** Reasons why a partition is not fetched. */
    public enum PauseReason {
        /**
         * The client was told to pause, and flow control has not let the partition go on. Each other reason brings this
         * one with it when the client is told, so flow control alone resumes.
         */
        FLOW,

        /** No pipeline reads it at the moment. */
        UNREAD,

        /**
         * Nothing more of it is wanted: a bounded read is through or does not know its end,
         * or the consumer was stopped.
         */
        END
    }

    /**
     * The state of the position at which reading goes on.
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

        /** It is not known where to go on: nothing is fetched and nothing committed. */
        HELD,

        /**
         * Held, until the brokers have said that the place which the group has committed still is
         * one in the same topic.
         */
        OPENING,

        /** Continues where the group has committed. */
        COMMITTED,

        /** Continues at a place that was decided here, not by the group's committed offset. */
        PLACED
    }

    private final TopicPartition id;
    private final OffsetTracker tracker;
    private final LeaderEpochs epochs = new LeaderEpochs();
    private final RecordWeights weights = new RecordWeights();

    /** The buffer's own. */
    private final PartitionQueue buffered;

    /** Rows that went out and were not finished at the last advance; empty where records go out alone. */
    private final ArrayDeque<KeptViews> rows = new ArrayDeque<>(1);

    private final int shares;
    private final int epoch;

    @SuppressWarnings("NullAway.Init") // opened with the partition in hand
    private RecordBuffer outlet;

    private final Set<PauseReason> pauseReasons = EnumSet.noneOf(PauseReason.class);
    private boolean fullOfBytes;

    /** The time when flow control paused it, by the owner's clock; {@link #UNKNOWN} while it has not. */
    private long stillSinceNanos = UNKNOWN;

    private long fullOfRecordsNanos;
    private long fullOfBytesNanos;
    private Placement placement = Placement.NEW;
    private long endOffset;
    private @Nullable Uuid topicId;

    /** The same as commits have it; null if it is not known, or the brokers have no ids. */
    private @Nullable String topicIdText;

    private long committedOffset = UNKNOWN;
    private long committedNanos;
    private String committedSet = "";
    private long uncommittedPlace = UNKNOWN;
    private FinishedSet finishedEarlier = FinishedSet.EMPTY;
    private long firstDropped = Long.MAX_VALUE;
    private int finishedSinceCommit;

    // Of the last commit that would have been the same as the one before.
    private long settledOffset = UNKNOWN;
    private int settledTexts;
    private @Nullable String settledTopicId;

    private long firstUnfinished = UNKNOWN;
    private long firstUnfinishedNanos;

    /** Creates one among equals. */
    public AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset) {
        this(id, tracker, endOffset, 0, 1);
    }

    /** Creates one of the first assignment. */
    AssignedPartition(TopicPartition id, OffsetTracker tracker, long endOffset, int priority, int shares) {
        this(id, tracker, endOffset, priority, shares, 0);
    }

    /**
     * Creates a partition of which nothing is known.
     *
     * @param endOffset records from this offset on are not emitted: the end of a bounded read, or {@link #UNKNOWN}
     * @param shares how many shares of the budget it has
     * @param epoch the number of the assignment with which it came
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
     * The same partition with nothing read of it: at no place yet, and paused if it was.
     *
     * @param ending whether nothing more of the assignment goes out
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

    /** The leader epochs of what was read of it. */
    public LeaderEpochs epochs() {
        return epochs;
    }

    /** Weighs its records against the budget. */
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

    /** The number of the assignment with which it came. */
    public int epoch() {
        return epoch;
    }

    // ---- The way out -----------------------------------------------------------------------------------------------

    /** The buffer through which its records go out. */
    public RecordBuffer outlet() {
        return outlet;
    }

    /** Sends its records out there; called before the first one goes, or when another pipeline reads it. */
    public void goOutBy(RecordBuffer buffer) {
        outlet = buffer;
    }

    // ---- Pauses ----------------------------------------------------------------------------------------------------

    /** Returns whether the client was told to pause. */
    public boolean isPaused() {
        return pauseReasons.contains(PauseReason.FLOW);
    }

    public boolean isPausedFor(PauseReason reason) {
        return pauseReasons.contains(reason);
    }

    /** Returns whether there is a reason to pause that the client does not know yet. */
    boolean isToBePaused() {
        return !pauseReasons.isEmpty() && !isPaused();
    }

    /** Pauses; true if the client has to be told. */
    public boolean pause(PauseReason reason) {
        boolean isNews = pauseReasons.add(PauseReason.FLOW);
        pauseReasons.add(reason);
        return isNews;
    }

    /** Pauses, as {@link #pause} does for {@link PauseReason#FLOW}, because of bytes and not of records. */
    boolean pauseForBytes() {
        boolean isNews = pause(PauseReason.FLOW);
        fullOfBytes |= isNews;
        return isNews;
    }

    /** Returns whether the partition, which flow control has paused, was full of bytes and not of records. */
    boolean isFullOfBytes() {
        return fullOfBytes;
    }

    /** Notes when flow control paused it. */
    void standsStillFrom(long nanos) {
        stillSinceNanos = nanos;
    }

    /** The time for which flow control has paused it so far, because of bytes or of records, and of nothing else. */
    public long stoodStillNanos(boolean ofBytes, long nowNanos) {
        boolean isStill = stillSinceNanos != UNKNOWN && fullOfBytes == ofBytes && pauseReasons.size() == 1;
        return (ofBytes ? fullOfBytesNanos : fullOfRecordsNanos) + (isStill ? nowNanos - stillSinceNanos : 0);
    }

    /** Notes, before the client knows of the partition, that no pipeline reads it. */
    void beginUnread() {
        pauseReasons.add(PauseReason.UNREAD);
    }

    /** A pipeline reads it again: flow control lets it go on. */
    public void endUnread() {
        pauseReasons.remove(PauseReason.UNREAD);
    }

    /** Returns whether flow control may let it go on: nothing else keeps it from being fetched. */
    boolean mayResume() {
        return isPaused() && pauseReasons.size() == 1 && !isHeld();
    }

    /** Flow control lets it go on; {@link #mayResume}. */
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

    // ---- The place -------------------------------------------------------------------------------------------------

    /** Returns whether it is not known yet where to go on: nothing is fetched and nothing committed. */
    public boolean isHeld() {
        return placement == Placement.HELD || placement == Placement.OPENING;
    }

    /** Returns whether it waits to go on where the group has committed. */
    public boolean isOpening() {
        return placement == Placement.OPENING;
    }

    /** Returns whether it goes on at a place that was decided here. */
    public boolean isPlaced() {
        return placement == Placement.PLACED;
    }

    /** Forgets where to continue and what is finished past that place. */
    void hold() {
        if (!isHeld()) {
            placement = Placement.HELD;
        }
        finishedEarlier = FinishedSet.EMPTY;
    }

    /** Opens the partition: the group has committed a place in that topic, or one without a topic. */
    public void open(@Nullable Uuid topic) {
        placement = Placement.OPENING;
        isOf(topic);
    }

    /** Continues at the group's committed offset. */
    void goOnAtCommit() {
        placement = Placement.COMMITTED;
    }

    /** Continues at a place that was decided here. */
    void place() {
        placement = Placement.PLACED;
    }

    /** The topic that its place is in; null if that is not known yet. */
    public @Nullable Uuid topicId() {
        return topicId;
    }

    /** The id of the topic as commits have it; null if it is not known, or the brokers have no ids. */
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

    /** Records from this offset on are not emitted; {@link #UNKNOWN} as long as no broker tells. */
    public long endOffset() {
        return endOffset;
    }

    /** A broker has told the end that was not known: flow control lets the partition go on. */
    public void learnEnd(long offset) {
        endOffset = offset;
        pauseReasons.remove(PauseReason.END);
    }

    // ---- Commits ---------------------------------------------------------------------------------------------------

    public long committedOffset() {
        return committedOffset;
    }

    /** The time when that was confirmed, by the owner's clock. */
    public long committedNanos() {
        return committedNanos;
    }

    /** The finished set in the metadata of that commit, as it was written. */
    public String committedSet() {
        return committedSet;
    }

    /** A commit is confirmed. */
    public void committed(long offset, String finishedSet, long nanos) {
        committedOffset = offset;
        committedSet = finishedSet;
        committedNanos = nanos;
    }

    /** A commit ahead of what it is of is confirmed, and with it the place of the partition. */
    public void committedAhead(long offset, long nanos) {
        committedOffset = offset;
        committedNanos = nanos;
        uncommittedPlace = UNKNOWN;
    }

    /** The place it was given, until a commit ahead has noted it, or {@link #UNKNOWN}. */
    public long uncommittedPlace() {
        return uncommittedPlace;
    }

    public void placeIsUncommitted(long offset) {
        uncommittedPlace = offset;
    }

    /** The offsets that an earlier assignment had finished past its commit: not emitted again. */
    public FinishedSet finishedEarlier() {
        return finishedEarlier;
    }

    public void skip(FinishedSet finished) {
        finishedEarlier = finished;
    }

    /** Continues, from {@code offset} on, what another object was for before. */
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

    /** Notes a row that goes out with that token, to be used again once it is finished. */
    void goesOut(KeptViews row, long token) {
        row.goesOutAs(token);
        rows.add(row);
    }

    /** Records finished since the last commit, as of the last {@link #advance}. */
    public int finishedSinceCommit() {
        return finishedSinceCommit;
    }

    /** Looks up the finished offsets for a commit. */
    public void beginCommit() {
        finishedSinceCommit = 0;
    }

    /** Notes that a commit of everything, up to that offset and with such texts, would bring no news. */
    public void settledAt(long offset, int texts) {
        settledOffset = offset;
        settledTexts = texts;
        settledTopicId = topicIdText;
    }

    /** Returns whether that was noted, and nothing has changed. */
    public boolean isSettledAt(long offset, int texts) {
        return offset == settledOffset && texts == settledTexts && Objects.equals(settledTopicId, topicIdText);
    }

    /** The first record that was fetched and not emitted, or forgotten again: the client's position is past it. */
    public long firstDropped() {
        return firstDropped;
    }

    /** Notes that a record was fetched in vain, so that nothing past it is committed in this assignment. */
    public void dropped(long offset) {
        firstDropped = Math.min(firstDropped, offset);
    }

    // ---- Unfinished work -------------------------------------------------------------------------------------------

    /** Returns whether the pipeline works on something of it. If so, the owner is woken when that may have changed. */
    public boolean hasUnsettled() {
        advance();
        return tracker.watchUnsettled();
    }

    /** Time since when {@code offset}, seen {@code now}, is the first unfinished one. */
    public long unfinishedSince(long offset, long now) {
        if (offset != firstUnfinished) {
            firstUnfinished = offset;
            firstUnfinishedNanos = now;
        }
        return firstUnfinishedNanos;
    }

    /** Notes that nothing is unfinished; true if something was the last time. */
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
