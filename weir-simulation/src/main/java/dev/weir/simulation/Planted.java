package dev.weir.simulation;

/** Wrong behaviour that a world's brokers can have, to prove that its checks see it. */
public enum Planted {
    /** A fetch now and then leaves out the batch that it begins with. */
    BATCH_SKIPPED,
    /** A fetch of committed records does not say which transactions were aborted. */
    ABORTED_UNTOLD,
    /** A fetch does not say that the log has lost records that were read. */
    EPOCHS_UNTOLD,
    /** A batch now and then is acknowledged and not written. */
    NOT_WRITTEN,
    /** A batch that comes again is written again. */
    REPETITIONS_WRITTEN,
    /** A batch is written whatever its sequence. */
    SEQUENCES_IGNORED,
    /** Now and then, answers a produce request with the previous answer. */
    OFFSETS_MIXED_UP,
    /** A lock of a share group ends at once. */
    LOCKS_IGNORED,
    /** An accepted record of a share group now and then is delivered again. */
    ACCEPTED_FORGOTTEN,
    /** A released record of a share group now and then is archived. */
    RELEASED_ARCHIVED
}
