package dev.weir.kafka.internal.in.owner;

/** A fault that a test plants in the brokers of a {@link TransactionWorld} to see it found. */
enum TransactionFault {
    /** Offsets are taken from a member that the group has expelled (before KIP-447). */
    OFFSETS_OF_ANYBODY(92),
    /** A committed offset is returned although an open transaction has another one. */
    UNSTABLE_OFFSETS_TOLD(1_049),
    /** Offsets count when they are sent, whatever becomes of their transaction. */
    OFFSETS_BEFORE_THE_END(4),
    /** Offsets do not count when their transaction is committed. */
    OFFSETS_LEFT_OUT(0),
    /** An abort leaves its records visible. */
    ABORTED_RECORDS_SEEN(0),
    /** A fenced producer keeps writing and committing. */
    ZOMBIE_WRITES(16),
    /** A flush returns before the records are written, so that records of the next transaction may come before them. */
    FLUSH_DOES_NOT_WAIT(1),
    /** Records due to be read again after an abort are not. */
    LOST_REWIND(2);

    /** A world that shows it, as the flow is today: the first one to look at, since some are rare. */
    final long shownBy;

    TransactionFault(long shownBy) {
        this.shownBy = shownBy;
    }
}
