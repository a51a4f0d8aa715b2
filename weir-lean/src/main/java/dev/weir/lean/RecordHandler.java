package dev.weir.lean;

/** Handles records. Called on the polling thread. */
@FunctionalInterface
public interface RecordHandler {

    /**
     * Takes the next record of its partition. May pause, seek and unassign partitions, including this one. If it
     * throws, the poll throws that exception, and the record is delivered again.
     *
     * @param record valid during the call
     */
    void onRecord(RecordView record);
}
