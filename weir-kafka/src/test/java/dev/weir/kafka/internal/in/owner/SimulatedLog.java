package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.simulation.GroupPartition;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A partition of a simulated cluster: its records, with gaps between offsets, and the group's progress. */
final class SimulatedLog extends GroupPartition {

    /** Offsets of records that any member has ever finished. */
    final BitSet finished = new BitSet();

    /** With commits ahead: offsets of records that were emitted, or read by another member. */
    final BitSet seen = new BitSet();

    /** Offsets committed ahead that need not be emitted after a crash, a lost partition or a seek. */
    private final BitSet forgiven = new BitSet();

    final SimulatedElections elections = new SimulatedElections();

    long endAtStart;
    int priority;
    long committed = -1;
    String committedText = "";

    /** Leader epoch in the last commit, or {@link SimulatedElections#UNKNOWN}. */
    int committedLeaderEpoch = SimulatedElections.UNKNOWN;

    /** True if the last commit refers to lost records. */
    private boolean committedStale;

    /** True if the last commit has neither a leader epoch nor a topic id to show the loss of its records. */
    private boolean committedBlindly;

    /** True if another client made the last commit. Such commits have no topic id. */
    private boolean committedElsewhere;

    /** Value of {@link #epoch} when the last commit was sent. */
    private int committedEpoch;

    /** True if the sender of the last commit got an error. */
    boolean committedUnsure;

    /** Last {@link #epoch} that began with a seek. */
    private int soughtEpoch = -1;

    // State of the current assignment to this member.

    /** Number of assignments and seeks so far. */
    int epoch;

    final BitSet finishedHere = new BitSet();

    /** Offsets that the commit listed as finished at the assignment, if the consumer could read the list. */
    final BitSet finishedEarlier = new BitSet();

    boolean seekAsked;

    /** Offset up to which the consumer knows that everything is committed, in this epoch. */
    long confirmed;

    /** True until the consumer resumes from the commit that it found when the partition was assigned. */
    private boolean opening;

    /** True if the consumer resumes from a stale commit that was then deleted with its topic. */
    private boolean openedStale;

    private boolean openedBlindly;

    long start;

    /** The most recent earlier {@link #start} above 0. */
    private long startBefore;

    /** Leader epoch of the last record before the position, if the client knows it. */
    int positionEpoch = SimulatedElections.UNKNOWN;

    /** True while the consumer's position is at lost records. */
    boolean doubtful;

    /** True if the client detects the lost position only while it is past the end of the log. */
    private boolean lostBlindly;

    /** The first {@link #epoch} after the last loss of the position. */
    private int clearedEpoch;

    /** True if the partition was added to the topic later. */
    boolean added;

    /** True while no broker answers for the partition. */
    boolean leaderless;

    /** True while the start position is unknown although the client has reported that nothing is committed. */
    boolean startAsked;

    /** True if the topic was recreated before the start position was known. */
    private boolean placedAnew;

    /** True if the run knew the former topic, and nothing has been committed since the topic was recreated. */
    private boolean startsAnew;

    /** Position at which the group started, unless at the beginning; -1 until a record was emitted. */
    private long firstPlace = -1;

    /** Lowest log end since the position or the commit was lost; -1 if neither is lost. */
    private long nearest = -1;

    /** Highest log end while the consumer waits for its next position. */
    private int endInHold;

    /** First record of the assignment that the pipeline has not pulled. */
    long nextToTake;

    SimulatedLog(TopicPartition id) {
        super(id);
    }

    @Override
    public void grow(Random random, int offsets) {
        super.grow(random, offsets);
        elections.grew(offsets);
        missIfBlind();
    }

    /** Returns the record at the position, with the topic's incarnation and the leader epoch as contents. */
    @Override
    protected ConsumerRecord<byte[], byte[]> record() {
        return record(new byte[] {(byte) elections.incarnation(), 0, 0, 0}, elections.epochAt(position));
    }

    @Override
    protected void advance() {
        positionEpoch = elections.epochAt(position);
        super.advance();
    }

    @Override
    public void assign() {
        super.assign();
        startAsked = false;
        opening = true;
        placedAnew = false;
        startsAnew = false;
        openedStale = false;
        begin(Math.max(0, committed));
        doubtful = false;
        nearest = committedStale ? nearest : -1;
    }

    // ---- Records that are gone
    // ---------------------------------------------------------------------------------------

    /** Simulates an unclean election that loses the records from {@code to} on. */
    void truncate(int to) {
        elections.cut(to);
        boolean blind = !doubtful && !held && positionEpoch == SimulatedElections.UNKNOWN;
        shorten(to);
        // A client without a leader epoch cannot notice the loss by comparing epochs.
        lostBlindly |= doubtful && blind;
    }

    void recreate(int incarnation, boolean commitIsDeleted) {
        elections.begin(incarnation);
        // A commit by this member has a topic id, which reveals the loss.
        committedBlindly = committedElsewhere;
        // The topic id reveals the loss. The policy for lost positions also applies while the start position is looked
        // up.
        lostBlindly = false;
        placedAnew |= startAsked;
        // The commit lists finished records of the deleted topic, even if its offset is 0.
        committedStale |= committed >= 0
                && CommitText.decode(committed, committedText).finished().runs() > 0;
        shorten(0);
        if (commitIsDeleted) {
            if (opening && held && committedStale) {
                // The coordinator may have returned the commit just before the deletion of the topic.
                openedStale = true;
                openedBlindly = committedBlindly;
            }
            committed = -1;
            committedText = "";
            committedLeaderEpoch = SimulatedElections.UNKNOWN;
            committedStale = false;
            // A run that has not noticed the recreation commits its position with the old topic id, which reveals the
            // loss later (ADR 58).
            firstPlace = -1;
            added = false;
        }
    }

    private void shorten(int to) {
        for (BitSet offsets : List.of(visible, finished, seen, forgiven)) {
            offsets.clear(to, Math.max(end, to));
        }
        endInHold = held ? Math.max(endInHold, end) : 0;
        end = to;
        firstPlace = Math.min(firstPlace, to);
        nearest = nearest >= 0 ? Math.min(nearest, to) : to;
        doubtful |= owned && placed && position > to;
        committedStale |= committed > to;
        if (!doubtful) {
            // A commit sent before a seek may arrive after the truncation.
            clearedEpoch = Math.max(clearedEpoch, epoch);
            nearest = committedStale ? nearest : -1;
        }
    }

    /** Excuses the missing records before the offset, because the consumer continues there. */
    private void goneOn(long offset) {
        doubtful = false;
        nearest = -1;
        finished.set(0, (int) offset);
    }

    /** Returns whether the client can detect that its position is lost. */
    boolean isSeenToBeGone() {
        return doubtful && !held && positionEpoch >= 0 && elections.endOf(positionEpoch) < position;
    }

    /** Requires that the policy allows the consumer to continue at the offset after a loss. */
    private void requireInPolicy(long offset, OutOfRangePolicy policy) {
        boolean allowed = switch (policy) {
            case FAIL -> false;
            case EARLIEST -> offset == 0;
            // Every log end since the loss is allowed, because the log may be truncated again after a query for its
            // end.
            case LATEST, NEAREST -> offset >= Math.max(0, nearest) && offset <= Math.max(end, endInHold);
        };
        // A consumer that learned the topic id just before the recreation cannot tell positions in the two topics
        // apart.
        boolean anew = elections.incarnation() > 0 && policy == OutOfRangePolicy.NEAREST && offset == 0;
        if (!allowed && !anew) {
            throw new AssertionError(id + " goes on at " + offset + " under " + policy + " after a cut to " + nearest
                    + ", the end is " + end);
        }
    }

    /** Simulates an operator who resets the commit to an existing record after the failure. */
    void setByHand() {
        committed = committed < 0 ? committed : Math.min(committed, Math.max(0, nearest));
        committedLeaderEpoch = SimulatedElections.UNKNOWN;
        committedText = "";
        committedStale = false;
        // Command-line tools commit without leader epoch and topic id.
        committedBlindly = true;
        committedElsewhere = true;
        doubtful = false;
        clearedEpoch = epoch + 1;
        soughtEpoch = epoch + 1;
    }

    boolean wasCut() {
        return elections.epoch() > 0 || elections.incarnation() > 0;
    }

    /** Returns whether the fetched record is still in the log. */
    boolean has(long offset, int leaderEpoch, int incarnation) {
        return incarnation == elections.incarnation() && elections.epochAt(offset) == leaderEpoch;
    }

    private void begin(long offset) {
        epoch++;
        lostBlindly = false;
        endInHold = 0;
        finishedHere.clear();
        finishedEarlier.clear();
        startBefore = start > 0 ? start : startBefore;
        start = offset;
        position = offset;
        nextToTake = offset;
        confirmed = offset;
    }

    /** Holds the partition until the consumer knows its next position. */
    void hold() {
        if (!paused) {
            throw new AssertionError(id + " is held and may be fetched");
        }
        if (opening && !held) {
            held = true;
            return;
        }
        opening = false;
        if (held) {
            return;
        }
        forgiveUnseen();
        held = true;
        beginSought(0);
    }

    /**
     * Resumes the consumer at its commit or at the target of a seek.
     *
     * @param leaderEpoch the known epoch of the record before the offset
     * @param policy the policy for a lost position
     */
    void goOn(long offset, int leaderEpoch, OutOfRangePolicy policy) {
        if (!held) {
            checkAgain(offset, leaderEpoch);
            return;
        }
        held = false;
        positionEpoch = leaderEpoch;
        if (opening && offset == start && !startAsked) {
            goOnAsCommitted();
            restore();
        } else {
            requirePlace(offset, policy);
            // Skipped records count as finished. Redelivered records may be emitted again.
            finished.set(0, (int) Math.min(offset, end));
            seen.clear((int) offset, Integer.MAX_VALUE);
            forgiven.set(0, (int) Math.max(offset, committed));
            beginSought(offset);
            placedAnew = false;
            // A position that was looked up has no leader epoch.
            lostBlindly = doubtful;
        }
        opening = false;
        placed = true;
    }

    private void beginSought(long offset) {
        begin(offset);
        soughtEpoch = epoch;
    }

    private void goOnAsCommitted() {
        doubtful = committedStale || openedStale;
        if (doubtful && (openedStale ? openedBlindly : committedBlindly)) {
            // Brokers refuse the position only while it is past the end.
            lostBlindly = true;
            missIfBlind();
        }
    }

    /** Accepts a lost position if no epoch and no topic id reveals the loss. */
    private void missIfBlind() {
        if (lostBlindly && owned && !held && position <= end) {
            lostBlindly = false;
            goneOn(position);
        }
    }

    /** Checks that the consumer resumes at its own position, unless it was held. */
    private void checkAgain(long offset, int leaderEpoch) {
        if (offset != position || leaderEpoch != positionEpoch) {
            throw new AssertionError(id + " goes on at " + offset + " and was not held");
        }
    }

    /** Requires a reason for an uncommitted position: a seek, the start, or the policy for lost positions. */
    private void requirePlace(long offset, OutOfRangePolicy policy) {
        if (seekAsked) {
            firstPlace = Long.MAX_VALUE;
        } else if (startAsked) {
            if (!placedAnew) {
                requireSamePlace(offset);
            }
        } else if (doubtful) {
            requireInPolicy(offset, policy);
        }
        if (doubtful) {
            clearedEpoch = epoch + 1;
        }
        startAsked = false;
        startsAnew = false;
        doubtful = offset > end;
        nearest = -1;
    }

    @Override
    protected OffsetAndMetadata place() {
        return new OffsetAndMetadata(position, positionEpoch < 0 ? Optional.empty() : Optional.of(positionEpoch), "");
    }

    /** Called when the consumer learns that nothing is committed. */
    void askStart(boolean hasKnownEarlierTopic) {
        startsAnew |= !startAsked && hasKnownEarlierTopic;
        startAsked = true;
    }

    /**
     * Requires a start of a group without commits: only its first start is at the end, and added partitions start at 0.
     */
    void requireSamePlace(long offset) {
        if (added && offset > 0) {
            throw new AssertionError(id + " was added and begins at " + offset);
        }
        if (startsAnew && offset > 0) {
            throw new AssertionError(id + " begins at " + offset + ", though the run knew the topic before it");
        }
        if (firstPlace >= 0 && offset > firstPlace) {
            throw new AssertionError(id + " begins at " + offset + ", though the group has begun at " + firstPlace);
        }
    }

    /**
     * Starts another process. If the commits were deleted with the topic, the process starts where new groups start.
     */
    void forgetPlace() {
        if (committed < 0 && elections.incarnation() > 0) {
            firstPlace = -1;
        }
    }

    /** Returns whether the group has neither committed nor emitted any record. */
    boolean isUntouched() {
        return committed < 0 && firstPlace < 0;
    }

    /** Notes that the pipeline pulls a record. The group's start position is then known. */
    void taken(long offset) {
        nextToTake = offset + 1;
        firstPlace = firstPlace < 0 ? start : Math.min(firstPlace, start);
    }

    @Override
    public void release() {
        super.release();
        startsAnew = false;
        doubtful = false;
    }

    /** Another member takes over the partition and detects lost records. */
    void goOnElsewhere() {
        if (committedStale) {
            committed = Math.min(committed, Math.max(0, nearest));
            committedStale = false;
            nearest = -1;
        }
    }

    /** The consumer learns which records past the commit are finished. */
    void restore() {
        FinishedSet earlier =
                CommitText.decode(Math.max(0, committed), committedText).finished();
        for (int run = 0; run < earlier.runs(); run++) {
            finishedEarlier.set((int) earlier.from(run), (int) earlier.to(run));
        }
        finishedHere.or(finishedEarlier);
        if (elections.epoch() > 0) {
            // Known limitation: records rewritten at offsets that a commit lists as finished are not emitted.
            finished.or(finishedEarlier);
        }
    }

    /** Returns whether the commit lists the record as finished, past the committed offset. */
    boolean isNoted(long offset) {
        return CommitText.decode(committed, committedText).finished().contains(offset);
    }

    /** Returns the first visible offset to emit from {@code from} on, or the end. */
    long nextToEmit(long from) {
        long next = nextVisible(from);
        while (next < end && finishedEarlier.get((int) next)) {
            next = nextVisible(next + 1);
        }
        return next;
    }

    /** Returns the first visible offset from {@code from} on, or the end. */
    long nextVisible(long from) {
        int next = visible.nextSetBit((int) from);
        return next < 0 ? end : next;
    }

    void finish(long offset, int ofEpoch) {
        finished.set((int) offset);
        if (ofEpoch == epoch) {
            finishedHere.set((int) offset);
        }
    }

    /** Returns the first visible offset that no member has finished, or the end. */
    long firstUnfinished() {
        return firstMissing(finished, 0);
    }

    /** Returns the first visible offset that is not finished in this assignment, or the end. */
    long firstUnfinishedHere() {
        return firstMissing(finishedHere, start);
    }

    private long firstMissing(BitSet done, long from) {
        long at = nextVisible(from);
        while (at < end && done.get((int) at)) {
            at = nextVisible(at + 1);
        }
        return at;
    }

    boolean isAllFetchedFinished() {
        return firstUnfinishedHere() >= position;
    }

    /**
     * Receives a commit.
     *
     * @param leaderEpoch the epoch of the record before the offset, or {@link SimulatedElections#UNKNOWN}
     * @param ofEpoch the value of {@link #epoch} when the commit was sent
     * @param ahead whether offsets are committed before their records are emitted
     */
    void commit(long offset, String text, int leaderEpoch, int ofEpoch, boolean ahead) {
        boolean place = owned && held && ofEpoch == epoch;
        boolean stale = !place && (doubtful || ofEpoch < clearedEpoch);
        if (place) {
            takePlace(offset);
        } else if (!stale) {
            requireCommit(offset, text, ofEpoch, ahead);
        }
        committed = offset;
        committedText = text;
        committedLeaderEpoch = leaderEpoch;
        // The log may have been truncated after the commit was sent.
        committedStale = stale ? nearest < 0 || offset > nearest : place && offset > end;
        // A consumer that has read nothing since its start knows no leader epoch to commit.
        committedElsewhere = !owned;
        boolean nothingRead = offset == start || (ofEpoch != epoch && offset == startBefore);
        committedBlindly = leaderEpoch == SimulatedElections.UNKNOWN && (!owned || place || nothingRead);
        committedEpoch = ofEpoch;
        committedUnsure = false;
        if (ofEpoch != epoch) {
            // The commit is from an earlier assignment. The current one does not wait for its outcome.
            forgiveUnseen();
        }
    }

    /** The consumer commits its next position before it resumes there. */
    private void takePlace(long offset) {
        if (startAsked && !seekAsked && !placedAnew) {
            requireSamePlace(offset);
        }
        // Skipped records count as finished.
        finished.set(0, (int) Math.min(offset, end));
    }

    private void requireCommit(long offset, String text, int ofEpoch, boolean ahead) {
        // The sender of an unconfirmed commit may move the committed offset back.
        boolean takenBack = ahead && committedUnsure && offset >= confirmed;
        if (offset < committed && soughtEpoch <= committedEpoch && !takenBack) {
            throw new AssertionError("committed " + id + "@" + offset + " after " + committed);
        }
        if (offset > end) {
            throw new AssertionError("committed " + id + "@" + offset + " past the end " + end);
        }
        if (!ahead) {
            requireFinished(offset, text, ofEpoch);
        }
    }

    private void requireFinished(long offset, String text, int ofEpoch) {
        long unfinished = owned && ofEpoch == epoch ? firstUnfinishedHere() : firstUnfinished();
        if (offset > unfinished) {
            throw new AssertionError("committed " + id + "@" + offset + " past the unfinished " + unfinished);
        }
        FinishedSet past = CommitText.decode(offset, text).finished();
        for (int run = 0; run < past.runs(); run++) {
            for (long at = nextVisible(past.from(run)); at < Math.min(end, past.to(run)); at = nextVisible(at + 1)) {
                if (!finished.get((int) at)) {
                    throw new AssertionError("noted " + id + "@" + at + " as finished beside commit " + offset);
                }
            }
        }
    }

    /**
     * After a successful commit, requires that it covers all records before the first unfinished one, and no others.
     */
    void requireFinishedIsCommitted() {
        if (held || doubtful) {
            return;
        }
        long unfinished = firstUnfinishedHere();
        int lastFinished = unfinished == 0 ? -1 : visible.previousSetBit((int) unfinished - 1);
        if (lastFinished >= start && committed <= lastFinished && !isNoted(lastFinished)) {
            throw new AssertionError("finished " + id + "@" + lastFinished + ", but committed " + committed);
        }
        if (placed && committed > unfinished) {
            throw new AssertionError("committed " + id + "@" + committed + ", not set back to " + unfinished);
        }
    }

    /** After a successful commit ahead, requires that it covers the position of the last seek. */
    void requirePlaceIsCommitted() {
        if (owned && !held && soughtEpoch == epoch && committedEpoch < epoch) {
            throw new AssertionError(id + " was sought to " + start + ", but committed " + committed);
        }
    }

    // ---- Commits ahead ---------------------------------------------------------------------------------------------

    /** Notes that the pipeline pulls a record committed ahead. */
    void see(long offset) {
        if (seen.get((int) offset)) {
            throw new AssertionError("emitted twice: " + id + "@" + offset);
        }
        if (owned && offset >= confirmed) {
            throw new AssertionError("emitted " + id + "@" + offset + " before a commit past it: " + confirmed);
        }
        seen.set((int) offset);
    }

    /** Returns the offsets committed ahead that are neither emitted nor excused. */
    BitSet unseen() {
        BitSet unseen = (BitSet) visible.clone();
        unseen.clear((int) Math.max(0, committed), Math.max(end, (int) Math.max(0, committed)));
        unseen.andNot(seen);
        unseen.andNot(forgiven);
        return unseen;
    }

    /** At a revocation, requires that all records committed ahead are emitted, unless time ran out. */
    void requireSeen(boolean late) {
        if (!late && !unseen().isEmpty()) {
            throw new AssertionError("revoked in time, and committed but never emitted: " + id + unseen());
        }
        forgiveUnseen();
    }

    /** Excuses all records committed so far from being emitted. */
    void forgiveUnseen() {
        forgiven.or(unseen());
    }

    @Override
    public String toString() {
        return id + " " + position + "/" + end + " committed " + committed + " finished to " + firstUnfinished()
                + (owned ? "" : ", not ours") + (paused ? ", paused" : "") + (held ? ", held" : "")
                + (doubtful ? ", position lost" : "") + (leaderless ? ", without leader" : "");
    }
}
