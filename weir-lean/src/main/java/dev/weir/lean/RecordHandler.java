package dev.weir.lean;

/** Handles records. Called on the polling thread. */
@FunctionalInterface
public interface RecordHandler {

    /**
     * Handles the next record of a partition. May pause, seek and unassign partitions, including the record's own. If
     * the handler throws an exception, the poll throws the same exception, and the record is delivered again.
     *
     * @param record valid only during the call
     */
    void onRecord(RecordView record);
}
