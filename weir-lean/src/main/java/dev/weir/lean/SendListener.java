package dev.weir.lean;

/**
 * Hears what became of records. Called by the producer's own thread, once for each record that the producer took, for
 * each partition in the order in which it took them. Calls must be short and must not wait: nothing is sent meanwhile.
 * One that throws ends the producer, which then reports everything else as failed.
 */
public interface SendListener {

    /**
     * A record is in the log, on all replicas in sync.
     *
     * @param token as it was sent
     * @param offset of the record; -1 if the broker remembers only that it has it
     */
    void acknowledged(long token, String topic, int partition, long offset);

    /**
     * A record was given up; {@link SendException#mayBeWritten} says whether it may be in the log all the same.
     *
     * @param token as it was sent
     * @param why the same object for all records of a batch, but for those that the broker names as its fault
     */
    void failed(long token, SendException why);
}
