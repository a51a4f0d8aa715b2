package dev.weir.lean;

/** Handles batches. Called on the polling thread. */
@FunctionalInterface
public interface BatchViewHandler {

    /**
     * Handles the next batch of a partition. May pause, seek and unassign partitions. If the handler throws an
     * exception, the poll throws the same exception, and the complete batch is delivered again.
     *
     * @param batch valid only during the call
     */
    void onBatch(BatchView batch);
}
