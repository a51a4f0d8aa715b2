package dev.weir.lean;

/** Takes records. Called on the polling thread. */
@FunctionalInterface
public interface RecordHandler {

    /**
     * Takes the next record of its partition. May pause, seek and unassign partitions, this one too. If it throws, the
     * poll throws the same, and the record comes again.
     *
     * @param record valid during the call
     */
    void onRecord(RecordView record);
}
