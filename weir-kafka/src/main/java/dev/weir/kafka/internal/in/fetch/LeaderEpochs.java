package dev.weir.kafka.internal.in.fetch;

import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The leader epochs of what was read of a partition, so that each offset in it can be committed with the epoch of the
 * record before it. Epochs change seldom and never go down within a log. Confined to the owner thread.
 */
public final class LeaderEpochs {

    /** Changes that are kept; an offset before the oldest of them is committed without an epoch. */
    private static final int MAX_STEPS = 64;

    /** The answer of {@link #note} for records of one log. */
    public static final int NONE = -1;

    // Of each step the first offset that may have the epoch: the one behind the last record of the epoch before, since
    // an
    // offset in the gap between the two records may be a marker of either.
    private long[] starts = new long[4];
    private int[] epochs = new int[4];
    private int steps;

    /** The offset at which reading began; -1 before it does. */
    private long begin = -1;

    /** Offset past the last known one; -1 before any is known. */
    private long end = -1;

    /** Forgets all: what is read next is at that place. */
    public void beginAt(LogPosition place) {
        steps = 0;
        begin = place.offset();
        end = begin;
        if (place.leaderEpoch() >= 0) {
            add(0, place.leaderEpoch());
        }
    }

    /**
     * Notes records that were read next.
     *
     * @return the index of the first one whose epoch is lower than that of a record before it, which proves that it
     * is of
     *     another log, and of which nothing is noted; or {@link #NONE}
     */
    public int note(List<? extends ConsumerRecord<?, ?>> records) {
        ConsumerRecord<?, ?> last = records.get(records.size() - 1);
        if (steps > 0 && epoch(records.get(0)) == last() && epoch(last) == last()) {
            end = FetchedViews.nextOffset(last);
            return NONE;
        }
        for (int i = 0; i < records.size(); i++) {
            ConsumerRecord<?, ?> record = records.get(i);
            if (!passed(FetchedViews.nextOffset(record), epoch(record))) {
                return i;
            }
        }
        return NONE;
    }

    /**
     * Notes that everything before {@code offset} was passed, and that the last of it has that epoch.
     *
     * @return false if it is lower than one before
     */
    public boolean passed(long offset, int epoch) {
        if (epoch >= 0 && steps > 0 && epoch < last()) {
            return false;
        }
        if (offset <= end) {
            return true;
        }
        if (epoch >= 0 ? steps == 0 || epoch > last() : steps > 0 && last() >= 0) {
            add(Math.max(0, end), epoch);
        }
        end = offset;
        return true;
    }

    /** The place of the last {@link #beginAt}; -1 before that. */
    public long begin() {
        return begin;
    }

    /** Offset past the last known one; -1 before any is known. */
    public long end() {
        return end;
    }

    /** The leader epoch of what is before the offset; {@link LogPosition#NO_EPOCH} if it is not known. */
    public int before(long offset) {
        if (offset > end) {
            return LogPosition.NO_EPOCH;
        }
        for (int step = steps - 1; step >= 0; step--) {
            if (starts[step] < offset) {
                return epochs[step];
            }
        }
        return LogPosition.NO_EPOCH;
    }

    private int last() {
        return epochs[steps - 1];
    }

    private void add(long start, int epoch) {
        if (steps == MAX_STEPS) {
            System.arraycopy(starts, 1, starts, 0, MAX_STEPS - 1);
            System.arraycopy(epochs, 1, epochs, 0, MAX_STEPS - 1);
            steps--;
        } else if (steps == starts.length) {
            starts = Arrays.copyOf(starts, 2 * steps);
            epochs = Arrays.copyOf(epochs, 2 * steps);
        }
        starts[steps] = start;
        epochs[steps] = epoch;
        steps++;
    }

    private static int epoch(ConsumerRecord<?, ?> record) {
        return record.leaderEpoch().orElse(LogPosition.NO_EPOCH);
    }
}
