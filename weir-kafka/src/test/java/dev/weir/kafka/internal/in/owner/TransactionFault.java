package dev.weir.kafka.internal.in.owner;

/** Faults of a {@link TransactionWorld}'s brokers. Tests plant them to verify that the simulation finds them. */
enum TransactionFault {
    /** An expelled member's offsets are accepted, as before KIP-447. */
    OFFSETS_OF_ANYBODY(89),
    /** A committed offset is returned although an open transaction contains another one. */
    UNSTABLE_OFFSETS_TOLD(1_788),
    /** Offsets count as soon as they are sent, even if their transaction is aborted. */
    OFFSETS_BEFORE_THE_END(4),
    /** Offsets are lost when their transaction is committed. */
    OFFSETS_LEFT_OUT(0),
    /** An abort leaves its records visible. */
    ABORTED_RECORDS_SEEN(0),
    /** A fenced producer keeps writing and committing. */
    ZOMBIE_WRITES(33),
    /** A flush returns before its records are written. */
    FLUSH_DOES_NOT_WAIT(1),
    /** After an abort, records are skipped instead of read again. */
    LOST_REWIND(2);

    /** A seed that reveals the fault. Tests try it first. */
    final long shownBy;

    TransactionFault(long shownBy) {
        this.shownBy = shownBy;
    }
}
