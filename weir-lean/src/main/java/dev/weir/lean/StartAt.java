package dev.weir.lean;

import java.time.Instant;

/**
 * The position at which reading a partition starts. Immutable.
 *
 * @param offset the first offset to read, if not negative
 * @param timestampMillis otherwise: the first record of at least that time; {@link #BEGINNING} and {@link #END} as in
 *     the protocol
 * @param leaderEpoch of the record before the offset, or {@link #NO_EPOCH}; with it a log that was truncated before the
 *     offset is noticed
 */
public record StartAt(long offset, long timestampMillis, int leaderEpoch) {

    /** The first record that the log still has. */
    public static final long BEGINNING = -2;

    /** The record written next. */
    public static final long END = -1;

    /** A leader epoch that is not known. */
    public static final int NO_EPOCH = -1;

    private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

    /** Refuses a place that is neither an offset nor a time. */
    public StartAt {
        if (offset < 0 && timestampMillis < BEGINNING) {
            throw new IllegalArgumentException(
                    "offset and time must not be negative: offset=" + offset + " timestampMillis=" + timestampMillis);
        }
    }

    /** Starts at an offset; if the log does not have it, {@link LeanSettings#onOffsetLost} decides. */
    public static StartAt offset(long offset) {
        return offset(offset, NO_EPOCH);
    }

    /**
     * Starts at an offset after a record of that leader epoch; if the log does not have the offset, or has other
     * records before it, {@link LeanSettings#onOffsetLost} decides.
     */
    public static StartAt offset(long offset, int leaderEpoch) {
        if (offset < 0) {
            throw new IllegalArgumentException("offset must not be negative: offset=" + offset);
        }
        return new StartAt(offset, END, leaderEpoch);
    }

    public static StartAt beginning() {
        return new StartAt(-1, BEGINNING, NO_EPOCH);
    }

    public static StartAt end() {
        return new StartAt(-1, END, NO_EPOCH);
    }

    /** Starts at the first record of at least that time, or at the end if there is none yet. */
    public static StartAt time(Instant time) {
        if (time.isBefore(Instant.EPOCH) || time.isAfter(LAST)) {
            throw new IllegalArgumentException("time must be " + Instant.EPOCH + " to " + LAST + ": time=" + time);
        }
        return new StartAt(-1, time.toEpochMilli(), NO_EPOCH);
    }
}
