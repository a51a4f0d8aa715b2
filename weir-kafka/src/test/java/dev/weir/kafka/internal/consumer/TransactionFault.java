package dev.weir.kafka.internal.consumer;

/** What a test plants in the brokers of a {@link TransactionWorld}, to see it found. */
enum TransactionFault {
    /** Offsets are taken from a member that the group has expelled (before KIP-447). */
    OFFSETS_OF_ANYBODY,
    /** A committed offset is told though an open transaction has another one. */
    UNSTABLE_OFFSETS_TOLD,
    /** Offsets count when they are sent, whatever becomes of their transaction. */
    OFFSETS_BEFORE_THE_END,
    /** Offsets do not count when their transaction is committed. */
    OFFSETS_LEFT_OUT,
    /** An abort leaves its records visible. */
    ABORTED_RECORDS_SEEN,
    /** A producer that was fenced goes on writing and committing. */
    ZOMBIE_WRITES,
    /** A flush returns before the records are written, so that those of the next transaction may come before them. */
    FLUSH_DOES_NOT_WAIT,
    /** What is to be read again after an abort is not. */
    LOST_REWIND
}
