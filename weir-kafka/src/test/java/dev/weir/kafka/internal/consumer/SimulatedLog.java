package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.internal.offsets.CommitText;
import dev.weir.kafka.internal.offsets.FinishedSet;
import java.util.BitSet;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;

/** One partition of a simulated cluster: its records, with gaps, and what the group has done with them. */
final class SimulatedLog {

    final TopicPartition id;

    /** Offsets that a consumer sees; the others are gaps. */
    final BitSet visible = new BitSet();

    /** Offsets whose record was finished by anyone, ever. */
    final BitSet finished = new BitSet();

    /** Offsets whose record was emitted, or read elsewhere, if commits go ahead. */
    final BitSet seen = new BitSet();

    /** Offsets that were committed ahead and may be missed: a crash, a loss or a seek came between. */
    private final BitSet forgiven = new BitSet();

    int end;
    long endAtStart;
    int priority;
    long committed = -1;
    String committedText = "";

    /** The epoch in which that commit was sent. */
    private int committedEpoch;

    /** Whether the one who sent that commit was told that it failed. */
    boolean committedUnsure;

    /** The last epoch that began with a seek. */
    private int soughtEpoch = -1;

    // While this member has it.
    boolean owned;

    /** Counts assignments and seeks. */
    int epoch;

    final BitSet finishedHere = new BitSet();

    /** What the commit said was finished past it when this assignment began, if the consumer could read that. */
    final BitSet finishedEarlier = new BitSet();

    boolean paused;

    /** Whether a user has asked for a seek that is not over. */
    boolean seekAsked;

    /** Whether a seek has begun and it is not known where to. */
    boolean held;

    /** In this epoch the consumer knows that everything before is committed. */
    long confirmed;

    boolean positionKnown;

    /** Whether it has not yet gone on at what was committed when it came. */
    private boolean opening;

    long start;
    long position;
    /** The first record of the assignment that the pipeline has not taken yet. */
    long nextToTake;

    SimulatedLog(TopicPartition id) {
        this.id = id;
    }

    void grow(Random random, int records) {
        for (int i = 0; i < records; i++) {
            if (random.nextInt(5) != 0) {
                visible.set(end);
            }
            end++;
        }
    }

    void assign() {
        owned = true;
        paused = false;
        held = false;
        positionKnown = false;
        opening = true;
        begin(Math.max(0, committed));
    }

    private void begin(long offset) {
        epoch++;
        finishedHere.clear();
        finishedEarlier.clear();
        start = offset;
        position = offset;
        nextToTake = offset;
        confirmed = offset;
    }

    /** The consumer waits for where to go on: it has just got the partition, or a seek was asked for. */
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

    /** The consumer goes on: where it had committed, or where a seek has said. */
    void goOn(long offset) {
        if (!held) {
            throw new AssertionError(id + " goes on and was not held");
        }
        held = false;
        if (opening && offset == start) {
            restore();
        } else {
            // What is skipped counts as done, what comes again may be seen again.
            finished.set(0, (int) offset);
            seen.clear((int) offset, Integer.MAX_VALUE);
            forgiven.set(0, (int) Math.max(offset, committed));
            beginSought(offset);
        }
        opening = false;
        positionKnown = true;
    }

    private void beginSought(long offset) {
        begin(offset);
        soughtEpoch = epoch;
    }

    void release() {
        owned = false;
    }

    /** The consumer learns what it, or another, had finished past the commit before. */
    void restore() {
        FinishedSet earlier =
                CommitText.decode(Math.max(0, committed), committedText).finished();
        for (int run = 0; run < earlier.runs(); run++) {
            finishedEarlier.set((int) earlier.from(run), (int) earlier.to(run));
        }
        finishedHere.or(finishedEarlier);
    }

    /** Whether the commit says that the record is finished, though it is not before the commit. */
    boolean isNoted(long offset) {
        return CommitText.decode(committed, committedText).finished().contains(offset);
    }

    /** Offset of the first visible record that is to be emitted, from {@code from} on, or the end. */
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

    /** Whether all that was fetched in this assignment is finished. */
    boolean isAllFetchedFinished() {
        return firstUnfinishedHere() >= position;
    }

    /**
     * The group takes note of a commit.
     *
     * @param ofEpoch the epoch in which it was sent
     * @param ahead whether it comes before its records are emitted
     */
    void commit(long offset, String text, int ofEpoch, boolean ahead) {
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
        committed = offset;
        committedText = text;
        committedEpoch = ofEpoch;
        committedUnsure = false;
        if (ofEpoch != epoch) {
            // Nobody here waits for its answer any more.
            forgiveUnseen();
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
        if (held) {
            return;
        }
        long unfinished = firstUnfinishedHere();
        int lastFinished = unfinished == 0 ? -1 : visible.previousSetBit((int) unfinished - 1);
        if (lastFinished >= start && committed <= lastFinished && !isNoted(lastFinished)) {
            throw new AssertionError("finished " + id + "@" + lastFinished + ", but committed " + committed);
        }
        if (positionKnown && committed > unfinished) {
            throw new AssertionError("committed " + id + "@" + committed + ", not set back to " + unfinished);
        }
    }

    /** After a commit in order, with commits ahead: the position that a user has asked for is committed, or a later one. */
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
}
