package dev.weir.lean;

/**
 * Receives the outcomes of records. Called by the producer's own thread, once for each accepted record, in order within
 * each partition. Calls must be short and must not wait, because nothing is sent meanwhile. An exception ends the
 * producer, which then reports everything else as failed.
 */
public interface SendListener {

    /**
     * Reports that a record is in the log, on all in-sync replicas.
     *
     * @param token the token from its send
     * @param offset of the record; -1 if the broker only knows that it has the record
     */
    void acknowledged(long token, String topic, int partition, long offset);

    /**
     * Reports that a record was given up; {@link SendException#mayBeWritten} tells whether it may be in the log anyway.
     *
     * @param token the token from its send
     * @param why the same object for all records of a batch, except for any that the broker names as at fault
     */
    void failed(long token, SendException why);
}
