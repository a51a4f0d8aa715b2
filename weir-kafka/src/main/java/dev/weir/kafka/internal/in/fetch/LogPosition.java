package dev.weir.kafka.internal.in.fetch;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * An offset in a log, with the leader epoch that verifies the log before it. Immutable.
 *
 * @param offset of the next record
 * @param leaderEpoch of the record before it, or {@link #NO_EPOCH}
 */
public record LogPosition(long offset, int leaderEpoch) {

    /** An unknown leader epoch: nothing is checked. */
    public static final int NO_EPOCH = -1;

    /** An offset without further facts. */
    public static LogPosition at(long offset) {
        return new LogPosition(offset, NO_EPOCH);
    }

    /** Returns the position at which reading continues after a commit. */
    public static LogPosition of(OffsetAndMetadata commit) {
        return new LogPosition(commit.offset(), commit.leaderEpoch().orElse(NO_EPOCH));
    }

    /** Converts the position into a commit with a text. */
    public OffsetAndMetadata commit(String text) {
        return new OffsetAndMetadata(offset, leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch), text);
    }

    @Override
    public String toString() {
        return leaderEpoch < 0 ? Long.toString(offset) : offset + " (epoch " + leaderEpoch + ")";
    }
}
