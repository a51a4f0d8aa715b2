package dev.weir.lean;

/** Takes batches. Called on the polling thread. */
@FunctionalInterface
public interface BatchViewHandler {

    /**
     * Takes the next batch of its partition. May pause, seek and unassign partitions. If it throws, the poll throws
     * that exception, and the batch comes again, all of it.
     *
     * @param batch valid during the call
     */
    void onBatch(BatchView batch);
}
