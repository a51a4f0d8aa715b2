package dev.weir.lean;

/**
 * Receives the outcomes of records. Called by the producer's own thread, once for each accepted record, in order within
 * each partition. Calls must be short and must not block, because the producer sends nothing while a call is running.
 * If the listener throws an exception, the producer fails and reports all other records as failed.
 */
public interface SendListener {

    /**
     * Called when a record has been written to all in-sync replicas.
     *
     * @param token the token passed to {@code send}
     * @param offset the record's offset; -1 if the broker confirmed the record without reporting its offset
     */
    void acknowledged(long token, String topic, int partition, long offset);

    /**
     * Called when a record was given up. {@link SendException#mayBeWritten} returns whether the record may be in the
     * log anyway.
     *
     * @param token the token passed to {@code send}
     * @param why the reason. All records of a batch get the same exception object, except for records that the broker
     *     reported as faulty
     */
    void failed(long token, SendException why);
}
