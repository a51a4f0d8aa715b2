package dev.weir.kafka;

import java.time.Instant;
import java.util.Objects;

/** A place in a partition. Immutable. */
public sealed interface Position {

    /** An end of the partition at the time it is resolved. */
    enum Edge implements Position {
        /** The oldest record that still exists. */
        BEGINNING,
        /**
         * The position after the newest record, or after the last stable offset under
         * {@code isolation.level=read_committed}.
         */
        END
    }

    /**
     * The record with this offset, or the next one if it does not exist.
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
     * The first record with this timestamp or a later one; the end if there is none yet.
     *
     * @param instant not before 1970, since it is compared with record timestamps
     */
    record Time(Instant instant) implements Position {

        private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

        /** Refuses a time before 1970 or beyond the range of Kafka's timestamps. */
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
