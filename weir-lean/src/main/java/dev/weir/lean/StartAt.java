package dev.weir.lean;

import java.time.Instant;

/**
 * The position at which reading a partition starts. Immutable.
 *
 * @param offset the first offset to read, if not negative
 * @param timestampMillis otherwise the time of the first record to read; {@link #BEGINNING} and {@link #END} as in the
 *     protocol
 * @param leaderEpoch epoch of the record before the offset, which reveals a truncated log; or {@link #NO_EPOCH}
 */
public record StartAt(long offset, long timestampMillis, int leaderEpoch) {

    /** Position of the first record still in the log. */
    public static final long BEGINNING = -2;

    /** The record written next. */
    public static final long END = -1;

    /** An unknown leader epoch. */
    public static final int NO_EPOCH = -1;

    private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

    /** Refuses a position that is neither an offset nor a time. */
    public StartAt {
        if (offset < 0 && timestampMillis < BEGINNING) {
            throw new IllegalArgumentException(
                    "offset and time must not be negative: offset=" + offset + " timestampMillis=" + timestampMillis);
        }
    }

    /** Starts at an offset. If the log does not have it, {@link LeanSettings#onOffsetLost} decides. */
    public static StartAt offset(long offset) {
        return offset(offset, NO_EPOCH);
    }

    /**
     * Starts at an offset after a record of that leader epoch. If the log does not have the offset, or has different
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

    /** Starts at the first record with that timestamp or a later one, or at the end if there is none yet. */
    public static StartAt time(Instant time) {
        if (time.isBefore(Instant.EPOCH) || time.isAfter(LAST)) {
            throw new IllegalArgumentException("time must be " + Instant.EPOCH + " to " + LAST + ": time=" + time);
        }
        return new StartAt(-1, time.toEpochMilli(), NO_EPOCH);
    }
}
