package dev.weir.lean;

import java.time.Instant;

/**
 * The position at which reading a partition starts. Immutable.
 *
 * @param offset the first offset to read; negative to use {@code timestampMillis} instead
 * @param timestampMillis the timestamp of the first record to read, {@link #BEGINNING} or {@link #END}; ignored if
 *     there is an offset. The two constants have the values used by the protocol
 * @param leaderEpoch the leader epoch of the record before the offset, used to detect a truncated log;
 *     {@link #NO_EPOCH} if unknown
 */
public record StartAt(long offset, long timestampMillis, int leaderEpoch) {

    /** Starts at the first record that is still in the log. */
    public static final long BEGINNING = -2;

    /** Starts at the next record to be written. */
    public static final long END = -1;

    /** An unknown leader epoch. */
    public static final int NO_EPOCH = -1;

    private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

    /** Rejects a position that is neither an offset nor a time. */
    public StartAt {
        if (offset < 0 && timestampMillis < BEGINNING) {
            throw new IllegalArgumentException(
                    "offset and time must not be negative: offset=" + offset + " timestampMillis=" + timestampMillis);
        }
    }

    /** Starts at an offset. If the log does not contain it, {@link LeanSettings#onOffsetLost} applies. */
    public static StartAt offset(long offset) {
        return offset(offset, NO_EPOCH);
    }

    /**
     * Starts at an offset, given the leader epoch of the record before it. {@link LeanSettings#onOffsetLost} applies if
     * the log does not contain the offset, or if the epoch shows that the record before it has been replaced.
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

    /**
     * Starts at the first record with the given timestamp or a later one, or at the end if there is no such record yet.
     */
    public static StartAt time(Instant time) {
        if (time.isBefore(Instant.EPOCH) || time.isAfter(LAST)) {
            throw new IllegalArgumentException("time must be " + Instant.EPOCH + " to " + LAST + ": time=" + time);
        }
        return new StartAt(-1, time.toEpochMilli(), NO_EPOCH);
    }
}
