package dev.weir.kafka.internal.in.fetch;

import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The leader epochs of the records read from a partition, so that each offset can be committed with the epoch of the
 * record before it. Epochs rarely change and never decrease within a log. Confined to the owner thread.
 */
public final class LeaderEpochs {

    /** Maximum number of stored epoch changes. Offsets before the oldest stored change are committed without epochs. */
    private static final int MAX_STEPS = 64;

    /** Returned by {@link #note} if all records belong to one log. */
    public static final int NONE = -1;

    // For each change, the first offset that may have the new epoch. That is the offset after the last record of the
    // old epoch, because offsets in the gap may be markers of either epoch.
    private long[] starts = new long[4];
    private int[] epochs = new int[4];
    private int steps;

    /** The offset at which reading started; -1 before that. */
    private long begin = -1;

    /** The offset after the last offset read or skipped, even if its epoch is unknown; -1 before reading starts. */
    private long end = -1;

    /** Discards all epochs and starts again at {@code place}, the position of the next record to be read. */
    public void beginAt(LogPosition place) {
        steps = 0;
        begin = place.offset();
        end = begin;
        if (place.leaderEpoch() >= 0) {
            add(0, place.leaderEpoch());
        }
    }

    /**
     * Adds the epochs of the records that were read next. Stops at the first record with a lower epoch than an earlier
     * record, because it belongs to another log.
     *
     * @return the index of that record; {@link #NONE} if all records were added
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
     * Reports that all offsets before {@code offset} were read or skipped, and that the last of these offsets has the
     * given epoch.
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

    /** Returns the offset of the last {@link #beginAt}; -1 before that. */
    public long begin() {
        return begin;
    }

    /**
     * Returns the offset after the last offset read or skipped, even if its epoch is unknown; -1 before reading starts.
     */
    public long end() {
        return end;
    }

    /**
     * Returns the leader epoch with which {@code offset} can be committed: the epoch of the record before it, or
     * {@link LogPosition#NO_EPOCH} if that is unknown.
     */
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
