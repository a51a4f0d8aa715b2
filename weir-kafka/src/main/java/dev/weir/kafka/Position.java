package dev.weir.kafka;

import java.time.Instant;
import java.util.Objects;

/** A place in a partition. Immutable. */
public sealed interface Position {

    /** An end of the partition, as it is when it is asked for. */
    enum Edge implements Position {
        /** The oldest record that is still there. */
        BEGINNING,
        /** After the newest record; after the newest committed one under {@code isolation.level=read_committed}. */
        END
    }

    /**
     * The record with this offset, or the next one if it is not there.
     *
     * @param offset at least 0
     */
    record Offset(long offset) implements Position {

        /** Refuses a negative offset. */
        public Offset {
            if (offset < 0) {
                throw new IllegalArgumentException("offset must be at least 0: offset=" + offset);
            }
        }
    }

    /**
     * The first record that is as young as this or younger; the end if there is none yet.
     *
     * @param instant compared with the timestamps of records, so not before 1970
     */
    record Time(Instant instant) implements Position {

        private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

        /** Refuses a time before 1970 or beyond what the brokers can say. */
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
