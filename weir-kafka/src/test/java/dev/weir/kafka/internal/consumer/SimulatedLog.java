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

    int end;
    long endAtStart;
    long committed = -1;
    String committedText = "";

    // While this member has it.
    boolean owned;
    int epoch;
    final BitSet finishedHere = new BitSet();

    /** What the commit said was finished past it when this assignment began, if the consumer could read that. */
    final BitSet finishedEarlier = new BitSet();

    boolean paused;
    boolean positionKnown;
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
        epoch++;
        finishedHere.clear();
        finishedEarlier.clear();
        paused = false;
        positionKnown = false;
        start = Math.max(0, committed);
        position = start;
        nextToTake = start;
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

    void commit(long offset, String text) {
        if (offset > firstUnfinished()) {
            throw new AssertionError("committed " + id + "@" + offset + " past the unfinished " + firstUnfinished());
        }
        if (offset < committed) {
            throw new AssertionError("committed " + id + "@" + offset + " after " + committed);
        }
        FinishedSet past = CommitText.decode(offset, text).finished();
        for (int run = 0; run < past.runs(); run++) {
            for (long at = nextVisible(past.from(run)); at < Math.min(end, past.to(run)); at = nextVisible(at + 1)) {
                if (!finished.get((int) at)) {
                    throw new AssertionError("noted " + id + "@" + at + " as finished beside commit " + offset);
                }
            }
        }
        committed = offset;
        committedText = text;
    }
}
