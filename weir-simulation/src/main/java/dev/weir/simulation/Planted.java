package dev.weir.simulation;

/** Faults that a test plants in the simulated brokers, to show that its checks detect them. */
public enum Planted {
    /** A fetch occasionally omits its first batch. */
    BATCH_SKIPPED,
    /** A fetch of committed records does not report aborted transactions. */
    ABORTED_UNTOLD,
    /** A fetch does not report that the log has lost records that were read. */
    EPOCHS_UNTOLD,
    /** A batch is occasionally acknowledged without being written. */
    NOT_WRITTEN,
    /** A duplicate batch is written again. */
    REPETITIONS_WRITTEN,
    /** A batch is written regardless of its sequence number. */
    SEQUENCES_IGNORED,
    /** The response to a produce request occasionally reports offset 0. */
    OFFSETS_MIXED_UP,
    /** A lock of a share group expires immediately. */
    LOCKS_IGNORED,
    /** An accepted record of a share group is occasionally delivered again. */
    ACCEPTED_FORGOTTEN,
    /** A released record of a share group is occasionally archived. */
    RELEASED_ARCHIVED
}
