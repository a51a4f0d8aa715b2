package dev.weir.kafka;

import java.time.Instant;
import java.util.Objects;

/** A position in a partition. Immutable. */
public sealed interface Position {

    /** The beginning or end of the partition when the position is resolved. */
    enum Edge implements Position {
        /** The oldest record that still exists. */
        BEGINNING,
        /** The position after the newest record; the last stable offset with {@code isolation.level=read_committed}. */
        END
    }

    /**
     * The record with the given offset or, if there is none, the next record.
     *
     * @param offset the offset, at least 0
     */
    record Offset(long offset) implements Position {

        /** Rejects a negative offset. */
        public Offset {
            if (offset < 0) {
                throw new IllegalArgumentException("offset must be at least 0: offset=" + offset);
            }
        }
    }

    /**
     * The first record whose timestamp is not before the given time, or the end if there is no such record yet.
     *
     * @param instant the time, not before 1970
     */
    record Time(Instant instant) implements Position {

        private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

        /** Rejects a time before 1970 or beyond the range of Kafka's timestamps. */
        public Time {
            Objects.requireNonNull(instant, "instant");
            if (instant.isBefore(Instant.EPOCH) || instant.isAfter(LAST)) {
                throw new IllegalArgumentException(
                        "instant must be " + Instant.EPOCH + " to " + LAST + ": instant=" + instant);
            }
        }
    }

    static Position beginning() {
        return Edge.BEGINNING;
    }

    static Position end() {
        return Edge.END;
    }

    static Position offset(long offset) {
        return new Offset(offset);
    }

    static Position time(Instant instant) {
        return new Time(instant);
    }
}
