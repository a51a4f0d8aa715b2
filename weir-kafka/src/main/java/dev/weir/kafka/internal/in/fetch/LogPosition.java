package dev.weir.kafka.internal.in.fetch;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * An offset in a log, with the leader epoch of the record before it. The epoch shows whether the log before the offset
 * was replaced. Immutable.
 *
 * @param offset the offset of the next record
 * @param leaderEpoch the leader epoch of the record before {@code offset}, or {@link #NO_EPOCH}
 */
public record LogPosition(long offset, int leaderEpoch) {

    /** An unknown leader epoch. */
    public static final int NO_EPOCH = -1;

    /** Returns a position without a leader epoch. */
    public static LogPosition at(long offset) {
        return new LogPosition(offset, NO_EPOCH);
    }

    /** Returns the position of a committed offset. */
    public static LogPosition of(OffsetAndMetadata commit) {
        return new LogPosition(commit.offset(), commit.leaderEpoch().orElse(NO_EPOCH));
    }

    /** Converts the position into a commit with the given metadata. */
    public OffsetAndMetadata commit(String text) {
        return new OffsetAndMetadata(offset, leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch), text);
    }

    @Override
    public String toString() {
        return leaderEpoch < 0 ? Long.toString(offset) : offset + " (epoch " + leaderEpoch + ")";
    }
}
