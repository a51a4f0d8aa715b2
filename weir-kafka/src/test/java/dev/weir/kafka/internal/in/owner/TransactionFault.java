package dev.weir.kafka.internal.in.owner;

/** Faults that tests plant in the brokers of a {@link TransactionWorld} to verify that the simulation finds them. */
enum TransactionFault {
    /** Offsets are accepted from a member that the group has expelled, as before KIP-447. */
    OFFSETS_OF_ANYBODY(92),
    /** A committed offset is returned although an open transaction contains another one. */
    UNSTABLE_OFFSETS_TOLD(1_429),
    /** Offsets count as soon as they are sent, even if their transaction is aborted. */
    OFFSETS_BEFORE_THE_END(4),
    /** Offsets are lost when their transaction is committed. */
    OFFSETS_LEFT_OUT(0),
    /** An abort leaves its records visible. */
    ABORTED_RECORDS_SEEN(0),
    /** A fenced producer keeps writing and committing. */
    ZOMBIE_WRITES(16),
    /** A flush returns before the records are written, so records of the next transaction may be written first. */
    FLUSH_DOES_NOT_WAIT(1),
    /** Records that must be read again after an abort are skipped. */
    LOST_REWIND(2);

    /** A seed that currently reveals the fault. Tests try it first, because few seeds reveal some of the faults. */
    final long shownBy;

    TransactionFault(long shownBy) {
        this.shownBy = shownBy;
    }
}
