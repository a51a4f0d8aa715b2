package dev.weir.kafka.internal.in.fetch;

import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The leader epochs of the records read from a partition, so that each offset can be committed with the epoch of the
 * record before it. Epochs change seldom and never decrease within a log. Confined to the owner thread.
 */
public final class LeaderEpochs {

    /** Number of changes kept; an offset before the oldest one is committed without an epoch. */
    private static final int MAX_STEPS = 64;

    /** The result of {@link #note} for records of one log. */
    public static final int NONE = -1;

    // For each change, the first offset that may have the new epoch: the one after the last record of the old epoch,
    // because an offset in the gap may be a marker of either.
    private long[] starts = new long[4];
    private int[] epochs = new int[4];
    private int steps;

    /** The offset at which reading began; -1 before it does. */
    private long begin = -1;

    /** The offset after the last known one; -1 before any is known. */
    private long end = -1;

    /** Forgets everything: the next record read is at that offset. */
    public void beginAt(LogPosition place) {
        steps = 0;
        begin = place.offset();
        end = begin;
        if (place.leaderEpoch() >= 0) {
            add(0, place.leaderEpoch());
        }
    }

    /**
     * Adds the records that were read next.
     *
     * @return the index of the first record with a lower epoch than an earlier one, which proves that it belongs to
     * another log; it and later ones are not added. {@link #NONE} if there is no such record
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
     * Notes that everything before {@code offset} was passed, and the epoch of the last offset.
     *
     * @return false if the epoch is lower than an earlier one
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

    /** The offset of the last {@link #beginAt}; -1 before that. */
    public long begin() {
        return begin;
    }

    /** The offset after the last known one; -1 before any is known. */
    public long end() {
        return end;
    }

    /** The leader epoch of the record before the offset; {@link LogPosition#NO_EPOCH} if not known. */
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
