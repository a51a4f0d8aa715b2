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

/** One partition of a simulated cluster: its records, with gaps, and what the group has done with them. */
final class SimulatedLog extends GroupPartition {

    /** Offsets whose record was finished by anyone, ever. */
    final BitSet finished = new BitSet();

    /** Offsets whose record was emitted, or read elsewhere, if commits go ahead. */
    final BitSet seen = new BitSet();

    /** Offsets that were committed ahead and may be missed: a crash, a loss or a seek came between. */
    private final BitSet forgiven = new BitSet();

    /** Records which leader wrote what, and what was cut. */
    final SimulatedElections elections = new SimulatedElections();

    long endAtStart;
    int priority;
    long committed = -1;
    String committedText = "";

    /** Leader epoch in that commit, or {@link SimulatedElections#UNKNOWN}. */
    int committedLeaderEpoch = SimulatedElections.UNKNOWN;

    /** True if that commit is of records that are gone. */
    private boolean committedStale;

    /** True if that commit is of nothing that could be read again: made by a client that knows nothing of epochs. */
    private boolean committedBlindly;

    /** True if another client has made it, which says nothing of topic ids. */
    private boolean committedElsewhere;

    /** The epoch in which that commit was sent. */
    private int committedEpoch;

    /** True if that commit was reported to its sender as failed. */
    boolean committedUnsure;

    /** The last epoch that began with a seek. */
    private int soughtEpoch = -1;

    // While this member has it.

    /** Counts assignments and seeks. */
    int epoch;

    final BitSet finishedHere = new BitSet();

    /** Offsets finished past the commit, as it said when this assignment began, if the consumer could read that. */
    final BitSet finishedEarlier = new BitSet();

    /** True if a user has asked for a seek that is not over. */
    boolean seekAsked;

    /** In this epoch the consumer knows that everything before is committed. */
    long confirmed;

    /** True if it has not yet resumed from the commit that was found when it was assigned. */
    private boolean opening;

    /** True if the commit that it resumes from was deleted meanwhile, with its topic, and said nothing of that. */
    private boolean openedStale;

    private boolean openedBlindly;

    long start;

    /** The last one before it that was not the beginning. */
    private long startBefore;

    /** The leader epoch of the last record before the position, if the client knows it. */
    int positionEpoch = SimulatedElections.UNKNOWN;

    /** True if the records at the position are gone, and the consumer has not moved elsewhere yet. */
    boolean doubtful;

    /** True if nothing but the end of the log tells that. */
    private boolean lostBlindly;

    /** The first epoch after the last such doubt. */
    private int clearedEpoch;

    /** True if it came after the others. */
    boolean added;

    /** True if no broker answers for it now. */
    boolean leaderless;

    /** True if the client has said that nothing is committed, and no answer to that has arrived. */
    boolean startAsked;

    /** True if its topic was recreated before that answer. */
    private boolean placedAnew;

    /** True if nothing is committed since the topic was recreated, and the run had known the one before. */
    private boolean startsAnew;

    /**
     * Position at which the group begins if it does not start at the beginning; -1 before anything of it was emitted.
     */
    private long firstPlace = -1;

    /** Lowest position to which a cut that follows may go back. */
    private long nearest = -1;

    /** The highest end that a truncation has taken back while the consumer waited for its next position. */
    private int endInHold;

    /** The first record of the assignment that the pipeline has not taken yet. */
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

    /** The record at the position, which names its topic's incarnation and its leader's epoch. */
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

    /** An unclean election: the records from {@code to} on are gone. */
    void truncate(int to) {
        elections.cut(to);
        boolean blind = !doubtful && !held && positionEpoch == SimulatedElections.UNKNOWN;
        shorten(to);
        // The client compares leader epochs, and there is none: what it began at had none, and nothing was read since.
        lostBlindly |= doubtful && blind;
    }

    /** The topic is deleted and recreated. */
    void recreate(int incarnation, boolean commitIsDeleted) {
        elections.begin(incarnation);
        // A commit from here has the topic's id.
        committedBlindly = committedElsewhere;
        // The topic's id tells. Where nothing was committed and the place is just being looked up, the policy holds,
        // too.
        lostBlindly = false;
        placedAnew |= startAsked;
        // What it notes as finished is so in the topic that is gone, also where it is of the offset 0.
        committedStale |= committed >= 0
                && CommitText.decode(committed, committedText).finished().runs() > 0;
        shorten(0);
        if (commitIsDeleted) {
            if (opening && held && committedStale) {
                // The coordinator may have told it just before.
                openedStale = true;
                openedBlindly = committedBlindly;
            }
            committed = -1;
            committedText = "";
            committedLeaderEpoch = SimulatedElections.UNKNOWN;
            committedStale = false;
            // Nothing says any more that the group has read a topic of that name, but to a run that notices (ADR 58);
            // one
            // that has not noticed yet commits the place with the old id, and is put right with the others by that.
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
            // A commit that was sent before a seek may arrive behind the cut, and is of the log before it.
            clearedEpoch = Math.max(clearedEpoch, epoch);
            nearest = committedStale ? nearest : -1;
        }
    }

    /** Allows records before the offset to be missed from now on: reading is known to continue there. */
    private void goneOn(long offset) {
        doubtful = false;
        nearest = -1;
        finished.set(0, (int) offset);
    }

    /** Returns whether the client can know that its position is gone. */
    boolean isSeenToBeGone() {
        return doubtful && !held && positionEpoch >= 0 && elections.endOf(positionEpoch) < position;
    }

    /** Requires that the policy lets reading continue at the offset, after the records before it are gone. */
    private void requireInPolicy(long offset, OutOfRangePolicy policy) {
        boolean allowed = switch (policy) {
            case FAIL -> false;
            case EARLIEST -> offset == 0;
            // The end at any time since counts, even if the log was truncated again after the end was requested: the
            // next poll or the topic's id reveals that, and is checked when reading continues.
            case LATEST, NEAREST -> offset >= Math.max(0, nearest) && offset <= Math.max(end, endInHold);
        };
        // A consumer that learned the topic's id just before the topic was recreated takes even a position in the new
        // topic for one in the old, until it learns the new id, up to some seconds later; a truncation may be what
        // makes it ask.
        boolean anew = elections.incarnation() > 0 && policy == OutOfRangePolicy.NEAREST && offset == 0;
        if (!allowed && !anew) {
            throw new AssertionError(id + " goes on at " + offset + " under " + policy + " after a cut to " + nearest
                    + ", the end is " + end);
        }
    }

    /** Somebody reads that the run has failed for a lost position, and sets it to what is left. */
    void setByHand() {
        committed = committed < 0 ? committed : Math.min(committed, Math.max(0, nearest));
        committedLeaderEpoch = SimulatedElections.UNKNOWN;
        committedText = "";
        committedStale = false;
        // The tools write neither epoch nor topic id.
        committedBlindly = true;
        committedElsewhere = true;
        doubtful = false;
        clearedEpoch = epoch + 1;
        soughtEpoch = epoch + 1;
    }

    /** Returns whether records of it have ever been lost. */
    boolean wasCut() {
        return elections.epoch() > 0 || elections.incarnation() > 0;
    }

    /** Returns whether the record that was fetched is still in the log. */
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

    /**
     * Holds the partition while the consumer waits for its next position: it has just been assigned, or a seek was
     * requested.
     */
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
     * Resumes the consumer, at its commit or at the target of a seek.
     *
     * @param leaderEpoch the known epoch of the record before it
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
            // Skipped records count as done; redelivered records may be seen again.
            finished.set(0, (int) Math.min(offset, end));
            seen.clear((int) offset, Integer.MAX_VALUE);
            forgiven.set(0, (int) Math.max(offset, committed));
            beginSought(offset);
            placedAnew = false;
            // A place that was looked up has no epoch.
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
            // Only as long as it is past the end the brokers refuse it.
            lostBlindly = true;
            missIfBlind();
        }
    }

    /**
     * Nobody can see that the position is lost once the log is as long as that again: no epoch and no topic id says so.
     */
    private void missIfBlind() {
        if (lostBlindly && owned && !held && position <= end) {
            lostBlindly = false;
            goneOn(position);
        }
    }

    /** Resumes the consumer at its position, and lets the client validate the position again. */
    private void checkAgain(long offset, int leaderEpoch) {
        if (offset != position || leaderEpoch != positionEpoch) {
            throw new AssertionError(id + " goes on at " + offset + " and was not held");
        }
    }

    /**
     * Requires that an uncommitted position follows from a user's wish, the start, or the policy for lost positions.
     */
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

    /** The consumer learns that nothing is committed. */
    void askStart(boolean hasKnownEarlierTopic) {
        startsAnew |= !startAsked && hasKnownEarlierTopic;
        startAsked = true;
    }

    /** Nothing was committed, and the start is the end: that is so once, and never for partitions that were added. */
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
     * Another process begins: where its commits were deleted with the topic, it does not know that the group has ever
     * read one of that name, and begins as the start says.
     */
    void forgetPlace() {
        if (committed < 0 && elections.incarnation() > 0) {
            firstPlace = -1;
        }
    }

    /** Returns whether the group has committed nothing of it, nor seen any of it. */
    boolean isUntouched() {
        return committed < 0 && firstPlace < 0;
    }

    /** The pipeline gets a record: where the group begins is settled. */
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

    /** Another member takes it over: it sees what is gone, too. */
    void goOnElsewhere() {
        if (committedStale) {
            committed = Math.min(committed, Math.max(0, nearest));
            committedStale = false;
            nearest = -1;
        }
    }

    /** The consumer learns what it, or another, had finished past the commit before. */
    void restore() {
        FinishedSet earlier =
                CommitText.decode(Math.max(0, committed), committedText).finished();
        for (int run = 0; run < earlier.runs(); run++) {
            finishedEarlier.set((int) earlier.from(run), (int) earlier.to(run));
        }
        finishedHere.or(finishedEarlier);
        if (elections.epoch() > 0) {
            // A limit: records rewritten at offsets that are noted as finished are not emitted.
            finished.or(finishedEarlier);
        }
    }

    /** Returns whether the commit says that the record is finished, though it is not before the commit. */
    boolean isNoted(long offset) {
        return CommitText.decode(committed, committedText).finished().contains(offset);
    }

    /** Offset of the first visible record to emit, from {@code from} on, or the end. */
    long nextToEmit(long from) {
        long next = nextVisible(from);
        while (next < end && finishedEarlier.get((int) next)) {
            next = nextVisible(next + 1);
        }
        return next;
    }

    /** Offset of the first visible record from {@code from} on, or the end. */
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

    /** The first visible record of the whole log that nobody has finished, or the end. */
    long firstUnfinished() {
        return firstMissing(finished, 0);
    }

    /** The first visible record of this assignment that is not finished in it, or the end. */
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

    /** Returns whether all that was fetched in this assignment is finished. */
    boolean isAllFetchedFinished() {
        return firstUnfinishedHere() >= position;
    }

    /**
     * The group takes note of a commit.
     *
     * @param leaderEpoch of the record before it, or {@link SimulatedElections#UNKNOWN}
     * @param ofEpoch the epoch in which it was sent
     * @param ahead whether it comes before its records are emitted
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
        // A place may be one before a cut that came while it was under way.
        committedStale = stale ? nearest < 0 || offset > nearest : place && offset > end;
        // A place that nothing was read from has no record before it.
        committedElsewhere = !owned;
        boolean nothingRead = offset == start || (ofEpoch != epoch && offset == startBefore);
        committedBlindly = leaderEpoch == SimulatedElections.UNKNOWN && (!owned || place || nothingRead);
        committedEpoch = ofEpoch;
        committedUnsure = false;
        if (ofEpoch != epoch) {
            // Nobody here waits for its answer any more.
            forgiveUnseen();
        }
    }

    /** The consumer commits its next position before it resumes there. */
    private void takePlace(long offset) {
        if (startAsked && !seekAsked && !placedAnew) {
            requireSamePlace(offset);
        }
        // What is skipped counts as done.
        finished.set(0, (int) Math.min(offset, end));
    }

    private void requireCommit(long offset, String text, int ofEpoch, boolean ahead) {
        // What was to go out with an unsure commit has not: its member may take that commit back.
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

    /** After a commit in order: it is past all that is finished before the first unfinished, and not past that. */
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

    /**
     * After a commit in order, with commits ahead: the position that a user has asked for is committed, or a later one.
     */
    void requirePlaceIsCommitted() {
        if (owned && !held && soughtEpoch == epoch && committedEpoch < epoch) {
            throw new AssertionError(id + " was sought to " + start + ", but committed " + committed);
        }
    }

    // ---- Commits ahead ---------------------------------------------------------------------------------------------

    /** The pipeline gets a record that was committed ahead. */
    void see(long offset) {
        if (seen.get((int) offset)) {
            throw new AssertionError("emitted twice: " + id + "@" + offset);
        }
        if (owned && offset >= confirmed) {
            throw new AssertionError("emitted " + id + "@" + offset + " before a commit past it: " + confirmed);
        }
        seen.set((int) offset);
    }

    /** Offsets that were committed ahead and never emitted, though nothing excuses that. */
    BitSet unseen() {
        BitSet unseen = (BitSet) visible.clone();
        unseen.clear((int) Math.max(0, committed), Math.max(end, (int) Math.max(0, committed)));
        unseen.andNot(seen);
        unseen.andNot(forgiven);
        return unseen;
    }

    /** Partitions go: what was committed ahead has been emitted, unless there was no time for it. */
    void requireSeen(boolean late) {
        if (!late && !unseen().isEmpty()) {
            throw new AssertionError("revoked in time, and committed but never emitted: " + id + unseen());
        }
        forgiveUnseen();
    }

    /** Excuses what is missing by now. */
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
