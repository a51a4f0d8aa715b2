package dev.weir.lean;

/** Handles batches. Called on the polling thread. */
@FunctionalInterface
public interface BatchViewHandler {

    /**
     * Takes the next batch of its partition. May pause, seek and unassign partitions. If it throws, the poll throws
     * that exception, and the whole batch is delivered again.
     *
     * @param batch valid during the call
     */
    void onBatch(BatchView batch);
}
